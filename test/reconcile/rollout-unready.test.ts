import { expect, test } from 'vitest';
import { child, configMap, defineKind, deployment, labelValue, Type } from '../../index.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { rolloutFirstAnnotation } from '../../shared/kinds/names.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { imageOf, policy } from '../properties/rollout-fleet.ts';
import { condition } from '../scenarios/resources.ts';
import { type Around, eachCall } from './calls.ts';
import type { Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

/** Defines a kind with a Deployment of this version and a ConfigMap. */
const versionOf = (image: string) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Duo',
    plural: 'duos',
    spec: Type.Object({}),
    samples: [{ name: 'duo', spec: {} }],
    owns: [deployment, configMap],
    children({ name }) {
      const labels = { duo: labelValue(name) };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } };
      const body = { spec: { selector: { matchLabels: labels }, template } };
      const data = { a: '1' };
      return [child(deployment, { name, body }), child(configMap, { name, body: { data } })];
    },
  });
const kind = versionOf('v1');
const names = ['a', 'b', 'c', 'd'];

let now = Date.now();
const engine = useEngine({ controllers: 'paused', clock: () => new Date(now), install: [kind] });

/** Creates resources of the first version; `a` is to be changed first. */
async function begin(place: Place) {
  const { api, namespace } = place;
  const resync = async (image: string, around: Around = (_, act) => act()): Promise<void> => {
    now += 61_000;
    await engine.run(
      {},
      {
        kinds: [versionOf(image)],
        namespaces: [namespace],
        rollout: policy,
        through: (port) => eachCall(port, around),
      },
    );
    engine.cluster.controllers.resume();
    await engine.cluster.controllers.settled();
    engine.cluster.controllers.pause();
  };
  for (const name of names) await api.create(kind, name, { spec: {} });
  const annotations = { [rolloutFirstAnnotation]: 'true' };
  await api.patch(kind, 'a', { metadata: { annotations } });
  for (let resyncs = 0; resyncs < 3; resyncs++) await resync('v1');
  return {
    resync,
    changedTo: async (image: string) =>
      (await api.list(deployment))
        .filter((live) => imageOf(live) === image)
        .map(({ metadata }) => metadata.name),
    markOf: async (name: string) => condition(await api.get(kind, name), 'RolloutPending')?.reason,
    readyOf: async (name: string) => condition(await api.get(kind, name), 'Ready')?.reason,
    halts: async () =>
      (await api.list(eventType)).filter(({ reason }) => reason === 'RolloutHalted').length,
  };
}

test('a resource with a blocked child is not Ready, so a rollout does not choose it and does not wait for it', async () => {
  const place = await engine.place([kind]);
  await place.api.create(configMap, 'a', { data: { a: 'of others' } });
  const { resync, changedTo, readyOf, halts } = await begin(place);
  expect(await readyOf('a')).toBe('ErrResourceExists');
  for (let resyncs = 0; resyncs < 20; resyncs++) await resync('v2');
  expect(await changedTo('v2')).toEqual(['b', 'c', 'd']);
  expect(await halts()).toBe(0);
  // `a` still waits since v2; the rollout of v3 begins with one resource all the same.
  await resync('v3');
  expect(await changedTo('v3')).toHaveLength(1);
  for (let resyncs = 0; resyncs < 10; resyncs++) await resync('v3');
  expect(await changedTo('v3')).toEqual(['b', 'c', 'd']);
});

test('a rollout halts if the resource that has a slot cannot be written', async () => {
  const { resync, changedTo, readyOf, halts } = await begin(await engine.place([kind]));
  const forbidden = new KubeError('apply', { code: 403, status: { reason: 'Forbidden' } });
  const refuse: Around = (what, act) =>
    what === 'apply Deployment a' ? Promise.reject(forbidden) : act();
  for (let resyncs = 0; resyncs < 15; resyncs++) await resync('v2', refuse);
  expect(await readyOf('a')).toBe('Forbidden');
  expect(await changedTo('v2')).toEqual([]);
  expect(await halts()).toBe(1);
  for (let resyncs = 0; resyncs < 10; resyncs++) await resync('v2');
  expect(await changedTo('v2')).toEqual(names);
});

test('a resource whose run crashed before the change does not count as rolled out, whatever another version makes of its mark', async () => {
  const place = await engine.place([kind]);
  const { resync, changedTo, markOf } = await begin(place);
  await resync('v2', (what, act) =>
    what.startsWith('apply Deployment') ? Promise.reject(new Error('dead')) : act(),
  );
  expect(await markOf('a')).toBe('RollingOut');
  await place.api.patch(kind, 'a', {
    metadata: { annotations: { [rolloutFirstAnnotation]: null } },
  });
  now += 61_000;
  // The previous version, running for an audit event, has nothing to do.
  const request = { kind: 'Duo', namespace: place.namespace, name: 'a' };
  await engine.run(request, { kinds: [kind], trigger: 'audit', rollout: policy });
  await resync('v2');
  expect((await changedTo('v2')).length).toBeLessThanOrEqual(1);
  for (let resyncs = 0; resyncs < 10; resyncs++) await resync('v2');
  expect(await changedTo('v2')).toEqual(names);
});
