import { expect, test } from 'vitest';
import { secret } from '../../index.ts';
import { openOfflineServer } from '../../infra/check/offline-server.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { Recorder } from '../../shared/recording/recorder.ts';
import { replayDecisions } from '../../shared/recording/replay-decisions.ts';
import type { AskServer } from '../../shared/recording/replayed-cluster.ts';
import { Snapshot } from '../../shared/recording/snapshot.ts';
import { openTestbed, type TestNamespace } from '../properties/testbed.ts';
import { previewOptions } from '../reconcile/recorded-preview.ts';
import { shelfKind } from '../recordings/shelf.ts';
import { mesh } from '../support/mesh.ts';
import { userSecret, vault } from '../support/vault.ts';

/** What replays asked the API server. */
const asked: string[] = [];

/** Records a resync; returns the decisions that the recording holds, and the responses to its questions. */
async function record(kind: Kind, { api, run }: TestNamespace) {
  const { metadata } = await api.get(kind, 'one');
  const recorder = new Recorder('salt');
  const at = new Date().toISOString();
  await run({ through: (port) => recorder.through(port) });
  const recorded = {
    at,
    identity: defaultIdentity,
    salt: 'salt',
    trigger: 'resync' as const,
    reconcileRequests: [{ namespace: metadata.namespace ?? '' }],
    snapshot: new Snapshot(recorder.lines.map((line) => JSON.parse(line))),
  };
  const area = { kinds: [kind], namespaces: undefined };
  const options = { ...previewOptions, area, rollout: undefined };
  const decisions = await replayDecisions(recorded, options);
  return {
    actions: decisions.decided.resources.flatMap(({ actions }) =>
      actions.map(({ verb, child, differences }) =>
        [verb, child.name, ...differences.map(({ path }) => path)].join(' '),
      ),
    ),
    refused: recorder.lines.filter((line) => /"line":"asked".*"error"/.test(line)),
  };
}

/** Records a resync and replays it; returns what would change, as `name path`. */
async function replay(kind: Kind, { api, run }: TestNamespace): Promise<readonly string[]> {
  const { metadata } = await api.get(kind, 'one');
  const recorder = new Recorder('salt');
  await run({ through: (port) => recorder.through(port) });
  const reading = {
    at: new Date().toISOString(),
    identity: defaultIdentity,
    salt: 'salt',
    trigger: 'resync' as const,
    reconcileRequests: [{ namespace: metadata.namespace ?? '' }],
    snapshot: new Snapshot(recorder.lines.map((line) => JSON.parse(line))),
  };
  const area = { kinds: [kind], namespaces: undefined };
  const server = openOfflineServer(defaultIdentity.name);
  const askServer: AskServer = (type, live, sent) => {
    asked.push(`${type.kind} ${JSON.stringify(sent)}`);
    return server(type, live, sent);
  };
  const options = { ...previewOptions, area, rollout: undefined, askServer };
  const { decided, unanswered } = await replayDecisions(reading, options);
  expect(unanswered).toEqual([]);
  return decided.resources.flatMap(({ actions }) =>
    actions.flatMap(({ child, differences }) =>
      differences.map(({ path }) => `${child.name} ${path}`),
    ),
  );
}

test('a replay assumes that composed values are unchanged, and compares copied ones', async () => {
  const testbed = await openTestbed({ kinds: [vault] });
  const namespace = await testbed.open();
  const { api, run } = namespace;
  await api.create(secret, 'user', { data: userSecret('user', 'anna').data });
  await api.create(vault, 'one', { spec: { user: 'user' } });
  for (let passes = 0; passes < 3; passes++) await run();

  const ofCopy = async () =>
    (await replay(vault, namespace)).filter((one) => one.startsWith('one-url '));
  expect(await ofCopy()).toEqual([]);
  await api.patch(secret, 'user', { data: userSecret('user', 'berta').data });
  expect(await ofCopy()).toEqual(['one-url data.name']);
  testbed.stop();
});

test('a replay sends each dry run once, although it plans twice to learn values of Secrets', async () => {
  const testbed = await openTestbed({ kinds: [shelfKind()] });
  const namespace = await testbed.open();
  await namespace.api.create(shelfKind(), 'one', { spec: {} });
  for (let passes = 0; passes < 3; passes++) await namespace.run();
  asked.length = 0;
  expect(await replay(shelfKind({ port: 81, secret: { token: 'dHdv' } }), namespace)).toEqual(
    expect.arrayContaining(['one data.token']),
  );
  expect(asked.length).toBeGreaterThan(1);
  expect(asked).toEqual([...new Set(asked)]);
  testbed.stop();
});

test('a replay renews no certificate, because a recording withholds its time', async () => {
  const testbed = await openTestbed({ kinds: [mesh] });
  const namespace = await testbed.open();
  await namespace.api.create(mesh, 'one', { spec: { dnsNames: ['a.example.org'] } });
  for (let passes = 0; passes < 2; passes++) await namespace.run();
  expect(await replay(mesh, namespace)).toEqual([]);
  testbed.stop();
});

test('a recording holds the decisions about Secrets with values of others, of which it knows only digests', async () => {
  const testbed = await openTestbed({ kinds: [vault] });
  const namespace = await testbed.open();
  const { api, run } = namespace;
  await api.create(secret, 'user', { data: userSecret('user', 'anna').data });
  await api.create(vault, 'one', { spec: { user: 'user' } });
  for (let passes = 0; passes < 3; passes++) await run();

  expect(await record(vault, namespace)).toEqual({ actions: [], refused: [] });
  await api.patch(secret, 'user', { data: userSecret('user', 'berta').data });
  expect(await record(vault, namespace)).toEqual({
    actions: ['update one-url data.name', expect.stringContaining('update one ')],
    refused: [],
  });
  await run();
  await api.patch(secret, 'one-url', { data: userSecret('user', 'eve').data });
  expect(await record(vault, namespace)).toEqual({
    actions: ['update one-url data.name'],
    refused: [],
  });
  testbed.stop();
});
