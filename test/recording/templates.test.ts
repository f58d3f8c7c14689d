import { expect, test } from 'vitest';
import { secret } from '../../index.ts';
import { openOfflineServer } from '../../infra/check/offline-server.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import { openRecorder } from '../../shared/recording/recorder.ts';
import { replayDecisions } from '../../shared/recording/replay-decisions.ts';
import { snapshotOf } from '../../shared/recording/replayed-cluster.ts';
import { openTestbed } from '../properties/testbed.ts';
import { previewOptions } from '../reconcile/recorded-preview.ts';
import { userSecret, vault } from '../support/vault.ts';

test('a replay assumes that composed values are as live, and compares copied ones', async () => {
  const testbed = await openTestbed({ kinds: [vault] });
  const { api, run } = await testbed.open();
  const { data } = userSecret('user', 'anna');
  const { metadata } = await api.create(secret, 'user', { data });
  await api.create(vault, 'one', { spec: { user: 'user' } });
  for (let passes = 0; passes < 3; passes++) await run();

  const replay = async () => {
    const recorder = openRecorder('salt');
    await run({ through: (port) => recorder.through(port) });
    const reading = {
      at: new Date().toISOString(),
      identity: defaultIdentity,
      salt: 'salt',
      trigger: 'resync' as const,
      scopes: [{ namespace: metadata.namespace ?? '' }],
      snapshot: snapshotOf(recorder.lines.map((line) => JSON.parse(line))),
    };
    const area = { kinds: [vault], namespaces: undefined };
    const { apply: applyOffline, stop } = openOfflineServer(defaultIdentity.name);
    const options = { ...previewOptions, area, rollout: undefined, applyOffline };
    const { decided, unread } = await replayDecisions(reading, options);
    stop();
    expect(unread).toEqual([]);
    return decided.resources.flatMap(({ actions }) =>
      actions
        .filter(({ child }) => child.name === 'one-url')
        .flatMap(({ differences }) => differences.map(({ path }) => path)),
    );
  };
  expect(await replay()).toEqual([]);
  await api.patch(secret, 'user', { data: userSecret('user', 'berta').data });
  expect(await replay()).toEqual(['data.name']);
  testbed.stop();
});
