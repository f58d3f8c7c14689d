import { expect, test } from 'vitest';
import {
  child,
  defineKind,
  deployment,
  labelValue,
  rollOnChange,
  secret,
  Type,
} from '../../index.ts';
import { policy } from '../properties/rollout-fleet.ts';
import { useEngine } from './use-engine.ts';

/** A kind whose code sets the rotation text of a password that its pods use. */
const versionOf = (rotation: string) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Site',
    plural: 'sites',
    spec: Type.Object({}),
    samples: [],
    owns: [secret, deployment],
    reads: { password: { type: secret, name: ({ name }) => `${name}-password` } },
    children({ name, reads: { password } }) {
      const labels = { site: labelValue(name) };
      const annotations = rollOnChange(password);
      const containers = [{ name: 'web', image: 'web:1' }];
      return [
        child(secret, {
          name: `${name}-password`,
          body: {},
          generated: { keys: ['password'], usedBy: [], rotation },
        }),
        child(deployment, {
          name,
          body: {
            spec: {
              selector: { matchLabels: labels },
              template: { metadata: { labels, annotations }, spec: { containers } },
            },
          },
        }),
      ];
    },
  });
const kind = versionOf('one');

let now = Date.now();
const engine = useEngine({ controllers: 'paused', clock: () => new Date(now), install: [kind] });

test('a rotation that new code causes waits for a slot in the rollout', async () => {
  const { api, namespace } = await engine.place([kind]);
  const resync = async (rotation: string): Promise<void> => {
    now += 61_000;
    const kinds = [versionOf(rotation)];
    await engine.run({}, { kinds, namespaces: [namespace], rollout: policy });
    engine.cluster.controllers.resume();
    await engine.cluster.controllers.settled();
    engine.cluster.controllers.pause();
  };
  const passwords = async () =>
    new Map(
      (await api.list(secret)).map(({ metadata, data }) => [metadata.name, JSON.stringify(data)]),
    );
  for (const name of ['a', 'b', 'c', 'd']) await api.create(kind, name, { spec: {} });
  for (let resyncs = 0; resyncs < 6; resyncs++) await resync('one');
  const before = await passwords();
  const rotated = async () => {
    const after = await passwords();
    return [...before].filter(([name, data]) => after.get(name) !== data);
  };
  await resync('two');
  expect(await rotated()).toHaveLength(1);
  for (let resyncs = 0; resyncs < 20; resyncs++) await resync('two');
  expect(await rotated()).toHaveLength(4);
});
