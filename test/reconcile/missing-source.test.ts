import { expect, test } from 'vitest';
import {
  child,
  defineKind,
  deployment,
  labelValue,
  objectName,
  rollOnChange,
  secret,
  secretValue,
  Type,
} from '../../index.ts';
import { policy } from '../properties/rollout-fleet.ts';
import { useEngine } from './use-engine.ts';

/** A kind whose pods need a copy of a Secret. */
const kind = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Reader',
  plural: 'readers',
  spec: Type.Object({}),
  samples: [{ name: 'reader', spec: {} }],
  owns: [secret, deployment],
  reads: { source: { type: secret, name: () => 'source' } },
  children({ name, reads: { source = { name: 'source' } } }) {
    const labels = { reader: labelValue(name) };
    const copy = child(secret, {
      name: objectName(`${name}-copy`),
      body: {},
      templates: { password: secretValue(source, 'password') },
    });
    const template = {
      metadata: { labels, annotations: rollOnChange(copy) },
      spec: { containers: [{ name: 'reader', image: 'reader:1' }] },
    };
    const spec = { selector: { matchLabels: labels }, template };
    return [copy, child(deployment, { name, needs: [copy], body: { spec } })];
  },
});

const engine = useEngine({ install: [kind] });

test('what waits for a missing Secret does not wait for a rollout, however many runs pass', async () => {
  const { api, namespace } = await engine.place([kind]);
  const run = async () => {
    await engine.run({}, { kinds: [kind], namespaces: [namespace], rollout: policy });
    const { status } = await api.get(kind, 'one');
    return status?.conditions?.map(({ type, reason }) => `${type} ${reason}`).toSorted();
  };
  await api.create(secret, 'source', { stringData: { password: 'first' } });
  await api.create(kind, 'one', { spec: {} });
  await run();
  await engine.cluster.controllers.settled();
  expect(await run()).toEqual(['Ready Ready']);

  await api.remove(secret, 'source');
  for (let at = 0; at < 3; at++)
    expect(await run()).toEqual(['Ready ValueMissing', 'Stalled ValueMissing']);

  await api.create(secret, 'source', { stringData: { password: 'second' } });
  await run();
  await engine.cluster.controllers.settled();
  expect(await run()).toEqual(['Ready Ready']);
});
