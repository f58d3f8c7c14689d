import { afterEach, describe, expect, test, vi } from 'vitest';
import { child, configMap, defineKind, type Kind, Type } from '../../index.ts';
import type { Identity } from '../../shared/identity.ts';
import { saltAnnotation, suspendAnnotation } from '../../shared/kinds/names.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { application } from '../../systems/application.ts';
import { database } from '../../systems/database.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import type { Live } from '../scenarios/api.ts';
import { kindsFor } from '../support/config.ts';
import { depot, finalizer } from '../support/finalizing-kind.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { compare } from './preview-comparison.ts';
import { useEngine } from './use-engine.ts';

vi.setConfig({ testTimeout: 60_000 });

const engine = useEngine({ controllers: 'paused' });
afterEach(() => engine.cluster.undisturb());

const [, , containerApp] = kindsFor({
  authUrl: 'http://auth.example.com/',
  ingressClass: 'nginx',
}) as readonly [Kind, Kind, Kind];

const old: Identity = { name: 'serverless-reconciler' };
const renamed: Identity = { name: 'team-a' };

async function placeOf(kind: Kind): Promise<Place> {
  const place = await engine.place([kind]);
  const spec = kind.samples[0]?.spec as JsonObject;
  const port = kind === website ? { nodePort: place.nodePort() } : {};
  await place.api.create(kind, 'shop', { spec: { ...spec, ...port } });
  await place.resync({ identity: old });
  return place;
}

/** Lists the resource and its children, in the order of the kind. */
async function familyOf(place: Place): Promise<readonly Live[]> {
  const [kind] = place.kinds as readonly [Kind];
  const types = [kind, ...kind.owns];
  return (await Promise.all(types.map((type) => place.api.list(type)))).flat();
}

/** Keeps all fields except managers and salts. */
const contentOf = ({ metadata, status, ...rest }: Live) => ({
  ...rest,
  uid: metadata.uid,
  generation: metadata.generation,
  ownerReferences: metadata.ownerReferences,
  labels: { ...metadata.labels, 'app.kubernetes.io/managed-by': undefined },
  annotations: { ...metadata.annotations, [saltAnnotation]: undefined },
  observed: status?.observedGeneration,
  children: status?.children,
  conditions: status?.conditions,
});

/** Lists the managers, without those of generated data, which keep what they hold. */
const managersOf = (family: readonly Live[]): ReadonlySet<string> =>
  new Set(
    family
      .flatMap(({ metadata }) => metadata.managedFields ?? [])
      .flatMap(({ manager = '' }) =>
        manager === 'kubectl' || manager.endsWith('-generated') ? [] : [manager],
      ),
  );

const labelsOf = (family: readonly Live[]): ReadonlySet<string | undefined> =>
  new Set(
    family
      .filter(({ metadata }) => metadata.ownerReferences !== undefined)
      .map(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by']),
  );

/** Releases every field that a former name holds, as docs/deploying.md describes. */
async function release(place: Place, { name }: Identity): Promise<void> {
  const [kind] = place.kinds as readonly [Kind];
  for (const type of [kind, ...kind.owns])
    for (const { metadata } of await place.api.list(type)) {
      await place.api.apply(type, metadata.name, {}, name);
      if (type !== kind) continue;
      await place.api.apply(type, metadata.name, {}, `${name}-finalizer`);
      await place.api.applyStatus(type, metadata.name, {}, name);
    }
}

async function expectNoWrite(place: Place, identity: Identity, of = place.kinds): Promise<void> {
  const before = place.requests().length;
  await place.resync({ identity, kinds: of });
  expect(place.requests().slice(before).filter(isWriteRequest)).toEqual([]);
}

const kinds = [website, application, containerApp, database, foo];

describe.each(kinds.map((kind) => [kind.kind, kind] as const))(
  'C-15 a %s reconciled under another name',
  (_, kind) => {
    test('keeps its children unchanged, also when renamed back', async () => {
      const place = await placeOf(kind);
      const before = await familyOf(place);
      for (const [former, identity] of [
        [old, renamed],
        [renamed, old],
      ] as const) {
        const report = await place.resync({ identity });
        expect(report.failures).toEqual([]);
        expect(report.outcomes).toMatchObject({ created: 0, deleted: 0 });
        const shared = await familyOf(place);
        expect(shared.map(contentOf)).toEqual(before.map(contentOf));
        expect(labelsOf(shared)).toEqual(new Set([identity.name]));
        await expectNoWrite(place, identity);
        await release(place, former);
        const after = await familyOf(place);
        expect(after.map(contentOf)).toEqual(before.map(contentOf));
        expect(managersOf(after)).toEqual(new Set([identity.name]));
        await expectNoWrite(place, identity);
      }
    });
  },
);

const noteOf = (data: Readonly<Record<string, string>>, names: readonly string[]) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Note',
    plural: 'notes',
    spec: Type.Object({}),
    samples: [],
    owns: [configMap],
    children: () => names.map((name) => child(configMap, { name, body: { data } })),
  });
const before = noteOf({ kept: 'a', dropped: 'b' }, ['one', 'two']);
const after = noteOf({ kept: 'c' }, ['one']);

/** Creates a resource with both children under the former name. */
async function noted(): Promise<Place> {
  await engine.install([before]);
  const place = await engine.place([before]);
  await place.api.create(before, 'shop', { spec: {} });
  await place.resync({ identity: old });
  return place;
}

const dataOf = async (place: Place) =>
  Object.fromEntries(
    (await place.api.list(configMap)).map((live) => [live.metadata.name, live.data]),
  );

test('the finalizer of a former name is removed when that name is released', async () => {
  await engine.install([depot]);
  const place = await engine.place([depot]);
  await place.api.create(depot, 'north', { spec: {} });
  for (const identity of [old, renamed]) await place.resync({ identity });
  const finalizers = async () => (await place.api.get(depot, 'north')).metadata.finalizers;
  expect(await finalizers()).toEqual([finalizer, 'example.org/team-a']);
  await release(place, old);
  expect(await finalizers()).toEqual(['example.org/team-a']);
});

describe('a kind whose code changes together with the name', () => {
  test('prunes its children, and drops fields once the former name is released', async () => {
    const place = await noted();
    await compare({ engine, place, kinds: [after], identity: renamed, how: 'resync' });
    expect(await dataOf(place)).toEqual({ one: { kept: 'c', dropped: 'b' } });
    await release(place, old);
    expect(await dataOf(place)).toEqual({ one: { kept: 'c' } });
  });

  test('writes no child of a suspended resource', async () => {
    const place = await noted();
    const annotations = { [suspendAnnotation]: 'true' };
    await place.api.patch(before, 'shop', { metadata: { annotations } });
    await place.resync({ identity: old });
    const children = await place.api.list(configMap);
    await place.resync({ identity: renamed });
    expect(await place.api.list(configMap)).toEqual(children);
    await expectNoWrite(place, renamed);
    await place.api.patch(before, 'shop', { metadata: { annotations: null } });
    await place.resync({ identity: renamed });
    expect(labelsOf(await familyOf(place))).toEqual(new Set([renamed.name]));
  });
});
