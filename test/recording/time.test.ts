import { expect, test } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import { Recorder } from '../../shared/recording/recorder.ts';
import { replayDecisions } from '../../shared/recording/replay-decisions.ts';
import { Snapshot } from '../../shared/recording/snapshot.ts';
import { openTestbed } from '../properties/testbed.ts';
import { previewOptions } from '../reconcile/recorded-preview.ts';

const lease = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  spec: Type.Object({ endsAt: Type.String({ format: 'date-time' }) }),
  samples: [{ name: 'one', spec: { endsAt: '2100-01-01T00:00:00Z' } }],
  owns: [configMap],
  children: ({ name, spec, isPast }) =>
    isPast(spec.endsAt) ? [] : [child(configMap, { name, body: { data: { held: 'yes' } } })],
});

test('a replay takes the time from the recording', async () => {
  const testbed = await openTestbed({ kinds: [lease] });
  const { api, run } = await testbed.open();
  await api.create(lease, 'one', { spec: { endsAt: '2100-01-01T00:00:00Z' } });
  await run();
  await run();
  const recorder = new Recorder('salt');
  await run({ through: (port) => recorder.through(port) });
  const { metadata } = await api.get(lease, 'one');
  const replayedAt = async (at: string) => {
    const recorded = {
      at,
      identity: defaultIdentity,
      salt: 'salt',
      trigger: 'resync' as const,
      reconcileRequests: [{ namespace: metadata.namespace ?? '' }],
      snapshot: new Snapshot(recorder.lines.map((line) => JSON.parse(line))),
    };
    const area = { kinds: [lease], namespaces: undefined };
    const options = { ...previewOptions, area, rollout: undefined };
    const { decided } = await replayDecisions(recorded, options);
    return decided.resources.flatMap(({ actions }) =>
      actions.map(({ verb, origin }) => `${verb} by ${origin}`),
    );
  };
  expect(await replayedAt('2099-12-31T23:59:59Z')).toEqual([]);
  expect(await replayedAt('2100-01-01T00:00:00Z')).toEqual(['delete by reference']);
  testbed.stop();
});
