import { expect, test } from 'vitest';
import { deployment } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { eachCall } from './calls.ts';
import { useEngine } from './use-engine.ts';

let now = new Date('2026-01-01T00:00:00Z').getTime();
const engine = useEngine({ controllers: 'paused', clock: () => new Date(now) });

/** Executes requests about a Deployment, and cuts them off before the response. */
const withoutResponse =
  (...requests: readonly string[]) =>
  (cluster: Cluster) =>
    eachCall(cluster, async (what, call) => {
      const response = await call();
      if (requests.includes(what)) throw new UnreachableError('no response in time');
      return response;
    });
const cutOff = withoutResponse('apply Deployment a');

test('a repair that was executed without a response in time is reported, and recorded against fights', async () => {
  const place = await engine.place();
  const run = (trigger: 'resync' | 'audit', through?: typeof cutOff) => {
    now += 1_000;
    return place.resync({ trigger, kinds: place.kinds, ...(through && { through }) });
  };
  const image = async (): Promise<string> =>
    JSON.stringify((await place.api.get(deployment, 'a')).spec?.template);
  const setImage = async () => {
    now += 1_000;
    const containers = [{ name: 'nginx', image: 'theirs:1' }];
    const spec = { template: { spec: { containers } } };
    await place.api.patch(deployment, 'a', { spec }, { as: 'strategic', manager: 'rival' });
  };
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  await run('resync');
  now += 60_000;
  await run('resync');
  now += 60_000;
  await setImage();
  expect((await run('audit', cutOff)).outcomes).toMatchObject({ updated: 1, failed: 0 });
  expect(await image()).not.toContain('theirs:1');
  const events = await place.api.list(eventType);
  expect(events.filter(({ reason }) => reason === 'Repaired')).toHaveLength(1);
  for (let rounds = 0; rounds < 3; rounds++) {
    await setImage();
    expect((await run('audit', cutOff)).outcomes).toMatchObject({ updated: 0, skipped: 1 });
    expect(await image()).toContain('theirs:1');
  }
});

test('a recreation that was executed without a response in time is reported, and does not wait for a rollout', async () => {
  const place = await engine.place();
  const run = (through?: typeof cutOff) => {
    now += 60_000;
    return place.resync({ kinds: place.kinds, ...(through && { through }) });
  };
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  await run();
  await run();
  await place.api.remove(deployment, 'a');
  const slow = withoutResponse('apply Deployment a', 'dry-run apply Deployment a');
  expect((await run(slow)).outcomes).toMatchObject({ created: 1, failed: 0, skipped: 0 });
  const { conditions } = (await place.api.get(foo, 'f')).status ?? {};
  expect(conditions?.map(({ type }) => type)).not.toContain('RolloutPending');
  const events = await place.api.list(eventType);
  expect(events.filter(({ reason }) => reason === 'Repaired')).toHaveLength(1);
  expect((await run()).outcomes).toMatchObject({ created: 0, updated: 0, skipped: 0 });
});
