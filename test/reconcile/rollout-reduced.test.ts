import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  child,
  defineKind,
  deployment,
  horizontalPodAutoscaler,
  podDisruptionBudget,
  Type,
} from '../../index.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import { openTestbed, type Testbed } from '../properties/testbed.ts';

interface Code {
  readonly replicas: number;
  readonly least: number;
  readonly most: number;
  readonly isProtected: boolean;
}

const before: Code = { replicas: 3, least: 2, most: 9, isProtected: true };

const versionOf = ({ replicas, least, most, isProtected }: Code): Kind =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Cache',
    plural: 'caches',
    spec: Type.Object({}),
    samples: [{ name: 'cache', spec: {} }],
    owns: [deployment, horizontalPodAutoscaler, podDisruptionBudget],
    children({ name }) {
      const matchLabels = { cache: name };
      const containers = [{ name: 'cache', image: 'memcached:1' }];
      const template = { metadata: { labels: matchLabels }, spec: { containers } };
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: `${name}-scaled` };
      const bounds = { scaleTargetRef, minReplicas: least, maxReplicas: most };
      return [
        child(deployment, {
          name,
          body: { spec: { replicas, selector: { matchLabels }, template } },
        }),
        child(horizontalPodAutoscaler, { name, body: { spec: bounds } }),
        ...(isProtected
          ? [
              child(podDisruptionBudget, {
                name,
                body: { spec: { minAvailable: 1, selector: { matchLabels } } },
              }),
            ]
          : []),
      ];
    },
  });

const kind = versionOf(before);
const names = ['a', 'b', 'c'];
const rollout: RolloutPolicy = { budget: () => 1, timeoutMs: 600_000, failures: 0 };

let testbed: Testbed;
beforeAll(async () => {
  testbed = await openTestbed({ kinds: [kind] });
});
afterAll(() => testbed.stop());

/** Returns how many resources one resync of the changed code changes. */
async function changedBy(change: Partial<Code>): Promise<number> {
  const ground = await testbed.open();
  const { api } = ground;
  for (const name of names) await api.create(kind, name, { spec: {} });
  await ground.runAll({ kinds: [kind], rollout });
  await testbed.settle();
  await ground.runAll({ kinds: [kind], rollout });
  const versions = async (): Promise<readonly string[]> => {
    const found = await Promise.all(
      [deployment, horizontalPodAutoscaler, podDisruptionBudget].map((type) => api.list(type)),
    );
    return names.map((name) => {
      const own = found.flat().filter(({ metadata }) => metadata.name === name);
      return JSON.stringify(own.map(({ spec }) => spec));
    });
  };
  const old = await versions();
  await ground.runAll({ kinds: [versionOf({ ...before, ...change })], rollout });
  const now = await versions();
  await ground.close();
  return now.filter((one, at) => one !== old[at]).length;
}

test.each<[string, Partial<Code>]>([
  ['fewer replicas', { replicas: 1 }],
  ['a lower minimum of an autoscaler', { least: 1 }],
  ['a lower maximum of an autoscaler', { most: 3 }],
  ['a deleted PodDisruptionBudget', { isProtected: false }],
  ['all of these', { replicas: 2, least: 1, most: 2, isProtected: false }],
])('%s by new code of a kind wait for the rollout', async (_, change) => {
  expect(await changedBy(change)).toBe(1);
});

test('more replicas by new code of a kind do not wait for the rollout', async () => {
  expect(await changedBy({ replicas: 5, least: 3, most: 20 })).toBe(names.length);
});
