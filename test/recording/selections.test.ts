import { expect, test } from 'vitest';
import { child, configMap, defineKind, secret, Type } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import { readableByAnnotation } from '../../shared/kinds/names.ts';
import { Recorder } from '../../shared/recording/recorder.ts';
import { replayDecisions } from '../../shared/recording/replay-decisions.ts';
import { Snapshot } from '../../shared/recording/snapshot.ts';
import { openTestbed } from '../properties/testbed.ts';
import { previewOptions } from '../reconcile/recorded-preview.ts';

const vault = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Vault',
  plural: 'vaults',
  spec: Type.Object({}),
  samples: [],
  owns: [configMap],
  reads: {
    tokens: {
      type: secret,
      selector: () => ({ matchExpressions: [{ key: 'vault', operator: 'Exists' }] }),
      from: 'granted',
    },
  },
  children: ({ name, labels, reads: { tokens } }) => [
    child(configMap, {
      name,
      labels: { ...labels, vaults: String(tokens[0]?.labels?.vault) },
      body: { data: { tokens: tokens.map((one) => `${one.name}:${one.keys.join()}`).join(' ') } },
    }),
  ],
});

test('a replay has the objects that selectors found, with grants and without values of Secrets', async () => {
  const testbed = await openTestbed({ kinds: [vault] });
  const [place, other] = [await testbed.open(), await testbed.open()];
  const namespaceIn = async ({ api }: typeof place) =>
    (await api.create(configMap, 'probe', {})).metadata.namespace ?? '';
  const [own, elsewhere] = [await namespaceIn(place), await namespaceIn(other)];
  const data = { password: Buffer.from('open sesame').toString('base64') };
  const annotations = { [readableByAnnotation]: `${own}/vaults.example.org` };
  const labels = { vault: 'true' };
  await place.api.create(secret, 'a', { metadata: { labels }, data });
  await other.api.create(secret, 'b', { metadata: { labels, annotations }, data });
  await other.api.create(secret, 'c', { metadata: { labels }, data });
  await place.api.create(vault, 'one', { spec: {}, metadata: { labels: { team: 'a' } } });

  const recorder = new Recorder('salt');
  const through = (port: Cluster): Cluster => recorder.through(port);
  await place.run({ through });
  expect((await place.api.get(configMap, 'one')).data).toEqual({
    tokens: own < elsewhere ? 'a:password b:password' : 'b:password a:password',
  });
  const text = recorder.lines.join('\n');
  for (const value of ['open sesame', data.password]) expect(text).not.toContain(value);

  const reading = {
    at: new Date().toISOString(),
    identity: defaultIdentity,
    salt: 'salt',
    trigger: 'resync' as const,
    reconcileRequests: [{ namespace: own }],
    snapshot: new Snapshot(recorder.lines.map((line) => JSON.parse(line))),
  };
  const area = { kinds: [vault], namespaces: undefined };
  const options = { ...previewOptions, area, rollout: undefined };
  const { decided, unanswered } = await replayDecisions(reading, options);
  expect(unanswered).toEqual([]);
  const [planned] = decided.resources;
  expect(planned?.reads?.map(({ name }) => name).toSorted()).toEqual(['a', 'b']);
  const actions = JSON.stringify(planned?.actions);
  for (const text of ['a:password', '.team","to":"a"', '.vaults","to":"true"'])
    expect(actions).toContain(text);
  testbed.stop();
});
