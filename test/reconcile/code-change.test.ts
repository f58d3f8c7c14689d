import { expect, test } from 'vitest';
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
