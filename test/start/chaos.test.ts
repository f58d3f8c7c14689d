import { startChaos } from '@serverless-reconciler/local-cluster/chaos';
import { beforeAll, expect, test } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { engineUser, isWriteRequest } from '../reconcile/engine.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import { kinds } from '../support/config.ts';

const engine = useEngine();
beforeAll(async () => {
  await install(applyTo(engine.cluster.url), { kinds, user: engineUser, samples: true });
});

const resync = () => engine.run({}, { kinds });
const ownRequests = () => engine.cluster.requests.list().filter(({ user }) => user === engineUser);

/** Resyncs until one finds nothing to write; returns the number of resyncs. */
async function settle(most: number): Promise<number> {
  for (let resyncs = 1; resyncs <= most; resyncs++) {
    engine.cluster.requests.reset();
    await resync();
    await engine.cluster.controllers.settled();
    if (!ownRequests().some(isWriteRequest)) return resyncs;
  }
  return Number.POSITIVE_INFINITY;
}

const kindsOfChildren = [
  'apis/apps/v1/deployments',
  'apis/apps/v1/statefulsets',
  'api/v1/services',
  'api/v1/secrets',
  'apis/autoscaling/v2/horizontalpodautoscalers',
  'apis/networking.k8s.io/v1/ingresses',
];

async function childrenNow(): Promise<string[]> {
  const names = kindsOfChildren.map(async (path) => {
    const response = await fetch(`${engine.cluster.url}/${path}`);
    const { items } = (await response.json()) as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => `${path} ${metadata.name}`);
  });
  return (await Promise.all(names)).flat();
}

test('all resources converge once the chaos has ended', async () => {
  expect(await settle(5)).toBeLessThan(6);
  const before = await childrenNow();
  const lines: string[] = [];
  const chaos = startChaos({
    cluster: engine.cluster,
    seed: 4,
    user: engineUser,
    selector: 'app.kubernetes.io/managed-by=serverless-reconciler',
    log: (text) => lines.push(text),
    pauseMs: 20,
  });
  const end = Date.now() + 500;
  // A resync may fail because of a fault, as long as it reports that.
  while (Date.now() < end || lines.length < 6) await resync().catch(() => undefined);
  await chaos.stop();
  const afterwards = lines.length;

  expect(await settle(4)).toBeLessThan(5);
  expect(await childrenNow()).toEqual(before);
  expect(lines).toHaveLength(afterwards);
  expect(lines.filter((line) => /^hand edit|^deleted/.test(line))).not.toEqual([]);
  expect(lines.filter((line) => /returned|dropped|late/.test(line))).not.toEqual([]);
});
