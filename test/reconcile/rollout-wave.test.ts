import { expect, test } from 'vitest';
import { child, defineKind, deployment, Type } from '../../index.ts';
import { readLogLine } from '../../infra/log-line.ts';
import { openDirectEngine } from '../properties/direct-engine.ts';
import { kind as fleetKind, openFleet, policy } from '../properties/rollout-fleet.ts';
import { openTestbed } from '../properties/testbed.ts';
import { eachCall } from './calls.ts';

const kind = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Proxy',
  plural: 'proxies',
  scope: 'Cluster',
  spec: Type.Object({}),
  samples: [{ name: 'proxy', spec: {} }],
  owns: [deployment],
  children({ name }) {
    const labels = { proxy: name };
    const template = { metadata: { labels }, spec: { containers: [{ name, image: 'v1' }] } };
    const body = { spec: { selector: { matchLabels: labels }, template } };
    return [child(deployment, { name, namespace: 'default', body })];
  },
});

test('the log names a cluster-scoped resource if its rollout halts', async () => {
  const lines: string[] = [];
  const { cluster, admin, run } = await openDirectEngine((line) => lines.push(line), [kind]);
  await admin.create(kind, 'web', { spec: {} });
  await run({}, { kinds: [kind] });
  const mark = { type: 'RolloutPending', status: 'True', reason: 'RollingOut', message: '' };
  const status = { conditions: [{ ...mark, lastTransitionTime: '2026-11-01T00:00:00Z' }] };
  await admin.applyStatus(kind, 'web', { status }, 'serverless-reconciler-rollout');
  const late = Date.now() + 2 * policy.timeoutMs;
  await run(
    {},
    {
      kinds: [kind],
      rollout: policy,
      now: () => new Date(late),
      deadline: late + 60_000,
      through: (port) =>
        eachCall(port, (what, act) =>
          what === 'apply Proxy/status web' ? Promise.reject(new Error('refused')) : act(),
        ),
    },
  );
  cluster.stop();
  const logged = lines.map((line) => readLogLine(line));
  expect(logged.filter((line) => line?.message?.startsWith('rollout '))).toMatchObject([
    { message: 'rollout halted', kind: 'proxies.example.org', failed: ['web'] },
    { message: 'rollout mark not written', key: 'proxies.example.org web' },
  ]);
});

test('if other runs keep choosing resources, a run lists three times and begins none, and the next one continues', async () => {
  const testbed = await openTestbed({ kinds: [fleetKind] });
  const ground = await testbed.open();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const fleet = openFleet({ ground, names, slots: 1 });
  await fleet.create();
  const chosen = { type: 'RolloutPending', status: 'True', reason: 'Starting', message: '' };
  const conditions = [{ ...chosen, lastTransitionTime: '2026-11-01T00:00:00Z' }];
  /** Marks an withoutMarker resource, as another run does. */
  const choose = async (): Promise<void> => {
    const name = names[(await fleet.reasons()).indexOf('')] ?? '';
    const manager = 'serverless-reconciler-rollout';
    await ground.api.applyStatus(fleetKind, name, { status: { conditions } }, manager);
  };
  let lists = 0;
  await fleet.resync('v2', async (what, act) => {
    // Each list after the survey shows more marks than slots, until no resource is left to choose.
    if (what === 'list fleets' && lists++ > 0 && lists < names.length) await choose();
    return act();
  });
  expect(lists).toBe(1 + 3);
  expect(await fleet.images()).toEqual(names.map(() => 'v1'));
  await fleet.resync('v2');
  expect(await fleet.images()).toContain('v2');
  expect(fleet.most()).toBe(1);
  testbed.stop();
});

test('while children cannot be listed, no mark changes and no resource begins', async () => {
  const testbed = await openTestbed({ kinds: [fleetKind] });
  const ground = await testbed.open();
  const fleet = openFleet({ ground, names: ['a', 'b', 'c'], slots: 1 });
  await fleet.create();
  await fleet.resync('v2');
  const [images, reasons] = [await fleet.images(), await fleet.reasons()];
  expect(reasons.toSorted()).toEqual(['RollingOut', 'Waiting', 'Waiting']);
  await fleet.resync('v2', async (what, act) => {
    if (what === 'list deployments') throw new Error('lost');
    return act();
  });
  expect(await fleet.images()).toEqual(images);
  expect(await fleet.reasons()).toEqual(reasons);
  testbed.stop();
});
