import { beforeEach, expect, test, vi } from 'vitest';
import { child, configMap, defineKind, Type } from '../../index.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { controllerOf } from '../../shared/plan/observed/observed.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

vi.setConfig({ testTimeout: 60_000 });

/** The first reconciler has the default name, as if it had been the only one before. */
const sites = { identity: { name: 'serverless-reconciler' }, kinds: [website] };
const foos = { identity: { name: 'team-b' }, kinds: [foo] };

/** A Note with a Memo as its child, for which another reconciler creates a ConfigMap. */
const memo = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Memo',
  plural: 'memos',
  spec: Type.Object({ text: Type.String() }),
  samples: [],
  owns: [configMap],
  children: ({ name, spec: { text } }) => [child(configMap, { name, body: { data: { text } } })],
});
const note = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  spec: Type.Object({ text: Type.String() }),
  samples: [],
  owns: [memo],
  children: ({ name, spec }) => [child(memo, { name, body: { spec } })],
});
const notes = { identity: { name: 'team-a' }, kinds: [note] };
const memos = { identity: { name: 'team-b' }, kinds: [memo] };

const engine = useEngine({ install: [note, memo] });

let place: Place;
beforeEach(async () => {
  place = await engine.place([website, foo]);
});

type As = Pick<Parameters<Place['resync']>[0] & object, 'identity' | 'kinds'>;

const writesOf = async (as: As, trigger: 'resync' | 'audit' = 'resync'): Promise<number> => {
  await engine.cluster.controllers.settled();
  const before = place.requests().length;
  await place.resync({ ...as, trigger });
  return place.requests().slice(before).filter(isWriteRequest).length;
};

test('C-16 two reconcilers with kinds of their own do not interfere', async () => {
  await place.api.create(website, 'site', {
    spec: { imageTag: 'latest', nodePort: place.nodePort() },
  });
  await place.api.create(foo, 'foo', { spec: { deploymentName: 'foo', replicas: 1 } });
  await Promise.all([place.resync(sites), place.resync(foos)]);
  const labels = Object.fromEntries(
    (await place.api.list(deployment)).map(({ metadata }) => [
      metadata.name,
      metadata.labels?.['app.kubernetes.io/managed-by'],
    ]),
  );
  expect(labels).toEqual({ site: 'serverless-reconciler', foo: 'team-b' });
  for (const as of [sites, foos]) {
    await place.resync(as);
    expect(await writesOf(as)).toBe(0);
  }
  await place.api.remove(website, 'site');
  await place.api.remove(deployment, 'foo');
  const { outcomes } = await place.resync(sites);
  expect(outcomes).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  expect((await place.resync(foos)).outcomes).toMatchObject({ created: 1, deleted: 0 });
  const reporters = (await place.api.list(eventType))
    .filter((live) => (live as { reason?: string }).reason === 'Repaired')
    .map((live) => (live as { reportingComponent?: string }).reportingComponent);
  expect(reporters).toEqual(['team-b']);
});

test('C-16 an Event of another reconciler is no evidence of a fight', async () => {
  await place.api.create(foo, 'foo', { spec: { deploymentName: 'foo', replicas: 1 } });
  const other = { ...foos, identity: { name: 'team-c' } };
  await place.resync(foos);
  await place.api.remove(deployment, 'foo');
  await place.resync({ ...foos, trigger: 'audit' });
  await place.api.remove(deployment, 'foo');
  expect(await writesOf({ ...foos }, 'audit')).toBeLessThan(2);
  await expect(place.api.get(deployment, 'foo')).rejects.toThrow();
  await place.resync({ ...other, trigger: 'audit' });
  expect((await place.api.get(deployment, 'foo')).metadata.labels).toMatchObject({
    'app.kubernetes.io/managed-by': 'team-c',
  });
});

test("C-16 a resource may be a child of one reconciler's kind and be reconciled by another", async () => {
  place = await engine.place([note, memo]);
  await place.api.create(note, 'a', { spec: { text: 'one' } });
  for (let turn = 0; turn < 3; turn++) for (const as of [notes, memos]) await place.resync(as);
  for (const as of [notes, memos]) expect(await writesOf(as)).toBe(0);
  const live = await place.api.get(memo, 'a');
  const held = live.metadata.managedFields?.map(
    ({ manager, subresource = '' }) => `${manager} ${subresource}`,
  );
  expect(held?.toSorted()).toEqual(['team-a ', 'team-b status']);
  expect(live.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'team-a' });
  const made = await place.api.get(configMap, 'a');
  expect(made.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'team-b' });
  expect(controllerOf(made)).toMatchObject({ kind: 'Memo' });

  await place.api.patch(note, 'a', { spec: { text: 'two' } });
  for (const as of [notes, memos]) await place.resync(as);
  expect((await place.api.get(configMap, 'a')).data).toEqual({ text: 'two' });
});

test('two reconcilers with the same kind by mistake each write once in a resync, and lose no data', async () => {
  await place.api.create(website, 'site', {
    spec: { imageTag: 'latest', nodePort: place.nodePort() },
  });
  const other = { ...sites, identity: foos.identity };
  await place.resync(sites);
  const before = await Promise.all(
    [deployment, service].map((type) => place.api.get(type, 'site')),
  );
  for (let turn = 0; turn < 3; turn++)
    for (const as of [other, sites]) {
      const begun = place.requests().length;
      await place.resync(as);
      const done = place.requests().slice(begun).filter(isWriteRequest);
      const written = done.filter((one) => one.name === 'site' && one.status < 300);
      for (const plural of ['deployments', 'services'])
        expect(written.filter(({ resource }) => resource === plural)).toHaveLength(1);
      // Audit events do not feed that fight.
      expect(await writesOf(as, 'audit')).toBe(0);
    }
  const after = await Promise.all([deployment, service].map((type) => place.api.get(type, 'site')));
  const contentOf = ({ metadata, spec }: (typeof after)[number]) => [metadata.uid, spec];
  expect(after.map(contentOf)).toEqual(before.map(contentOf));
});
