import { expect, test } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { openDirectEngine } from '../properties/direct-engine.ts';
import { imageOf, kind, versionOf } from '../properties/rollout-fleet.ts';

test('C-1 a child that new code of its kind changes is reported as Updated, not Repaired', async () => {
  const { cluster, place } = await openDirectEngine(undefined, [kind]);
  const { api, resync } = await place([kind]);
  await api.create(kind, 'a', { spec: {} });
  await resync();
  await resync();
  await resync({ kinds: [versionOf('v2')] });
  expect((await api.list(deployment)).map(imageOf)).toEqual(['v2']);
  const events = (await api.list(eventType)) as readonly { readonly reason?: unknown }[];
  expect(events.map(({ reason }) => reason)).toEqual(['Updated']);
  cluster.stop();
});

const toggle = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Toggle',
  plural: 'toggles',
  spec: Type.Object({}),
  samples: [{ name: 'toggle', spec: {} }],
  owns: [configMap],
  reads: { on: { type: configMap, name: () => 'on' } },
  children: ({ name, reads }) => [
    child(configMap, { name, body: {} }),
    ...(reads.on ? [child(configMap, { name: `${name}-on`, body: {} })] : []),
  ],
});

test('C-1 each deletion of a child that is no longer desired is reported, also of one that was deleted before', async () => {
  const { cluster, place } = await openDirectEngine(undefined, [toggle]);
  const { api, resync } = await place([toggle]);
  await api.create(toggle, 'a', { spec: {} });
  await resync({ kinds: [toggle] });
  for (let times = 1; times <= 2; times++) {
    await api.create(configMap, 'on', {});
    await resync({ kinds: [toggle] });
    await api.remove(configMap, 'on');
    for (let runs = 0; runs < 2; runs++) await resync({ kinds: [toggle] });
    const events = (await api.list(eventType)) as readonly { readonly message?: unknown }[];
    const deleted = events.filter(
      ({ message }) => message === 'ConfigMap a-on: no longer desired, deleted',
    );
    expect(deleted).toHaveLength(times);
  }
  cluster.stop();
});
