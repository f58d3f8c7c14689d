import pMap from 'p-map';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { child, configMap, defineKind, type Kind, Type } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import type { Identity } from '../../shared/identity.ts';
import { saltAnnotation, suspendAnnotation } from '../../shared/kinds/names.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { application } from '../../systems/application.ts';
import { database } from '../../systems/database.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { type CallFault, failureNames, withFault } from '../properties/call-fault.ts';
import { stride } from '../properties/runs.ts';
import type { Live } from '../scenarios/api.ts';
import { kindsFor } from '../support/config.ts';
import { type Around, eachCall } from './calls.ts';
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

const old: Identity = { name: 'serverless-reconciler', formerNames: [] };
const renamed: Identity = { name: 'team-a', formerNames: [old.name] };
const renamedBack: Identity = { name: old.name, formerNames: [renamed.name] };
const forgetful: Identity = { name: renamed.name, formerNames: [] };

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

/** Keeps everything but managers and salts. */
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

/** Lists the salts, which differ if the former name is unknown. */
const saltsOf = (family: readonly Live[]) =>
  family.map(({ metadata }) => metadata.annotations?.[saltAnnotation]);

const managersOf = (family: readonly Live[]): ReadonlySet<string> =>
  new Set(
    family
      .flatMap(({ metadata }) => metadata.managedFields ?? [])
      .flatMap(({ manager = '' }) => (manager === 'kubectl' ? [] : [manager])),
  );

const labelsOf = (family: readonly Live[]): ReadonlySet<string | undefined> =>
  new Set(
    family
      .filter(({ metadata }) => metadata.ownerReferences !== undefined)
      .map(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by']),
  );

/**
 * Lists the fields that each of our managers holds, with its suffix instead of its name; without the
 * label, which our apply takes over from the manager of generated data.
 */
const holdingsOf = (family: readonly Live[], name: string) =>
  family.map(({ metadata }) =>
    (metadata.managedFields ?? [])
      .filter(({ manager = '' }) => manager.startsWith(name))
      .map(({ manager = '', operation, subresource, fieldsV1 }) => ({
        part: manager.slice(name.length),
        operation,
        subresource,
        fields: JSON.stringify(fieldsV1).replace('"f:app.kubernetes.io/managed-by":{},', ''),
      }))
      .toSorted((a, b) => (`${a.part} ${a.subresource}` < `${b.part} ${b.subresource}` ? -1 : 1)),
  );

async function expectNoWrite(place: Place, identity: Identity, of = place.kinds): Promise<void> {
  const before = place.requests().length;
  await place.resync({ identity, kinds: of });
  expect(place.requests().slice(before).filter(isWriteRequest)).toEqual([]);
}

const kinds = [website, application, containerApp, database, foo];

describe.each(kinds.map((kind) => [kind.kind, kind] as const))(
  'C-15 %s under another name',
  (_, kind) => {
    test('keeps its children as they are, also when it is renamed back', async () => {
      const place = await placeOf(kind);
      const before = await familyOf(place);
      const holdings = holdingsOf(before, old.name);
      for (const identity of [renamed, renamedBack]) {
        const report = await place.resync({ identity });
        expect(report.failures).toEqual([]);
        expect(report.outcomes).toMatchObject({ created: 0, deleted: 0 });
        const after = await familyOf(place);
        expect(after.map(contentOf)).toEqual(before.map(contentOf));
        expect(saltsOf(after)).toEqual(saltsOf(before));
        expect(labelsOf(after)).toEqual(new Set([identity.name]));
        for (const manager of managersOf(after)) expect(manager).toMatch(`${identity.name}`);
        expect(holdingsOf(after, identity.name)).toEqual(holdings);
        await expectNoWrite(place, identity);
        // The former name can be dropped once everything has the present one.
        await expectNoWrite(place, { ...identity, formerNames: [] });
      }
    });

    test('works without the former name, and is cleaned up once that is given', async () => {
      const place = await placeOf(kind);
      const before = await familyOf(place);
      const report = await place.resync({ identity: forgetful });
      expect(report.failures).toEqual([]);
      const shared = await familyOf(place);
      expect(shared.map(contentOf)).toEqual(before.map(contentOf));
      expect(labelsOf(shared)).toEqual(new Set([renamed.name]));
      await expectNoWrite(place, forgetful);
      await place.resync({ identity: renamed });
      const after = await familyOf(place);
      expect(after.map(contentOf)).toEqual(before.map(contentOf));
      for (const manager of managersOf(after)) expect(manager).toMatch(renamed.name);
      expect(holdingsOf(after, renamed.name)).toEqual(holdingsOf(before, old.name));
      await expectNoWrite(place, renamed);
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

/** Makes a resource that has both children under the former name. */
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

/** Renames in a run that is interrupted and another that is not, and counts the calls of the first. */
async function interrupted({ at, how }: CallFault): Promise<number> {
  const place = await noted();
  const fault = withFault((_, call) => call(), { at, how });
  let calls = 0;
  const counted: Around = (what, call) => {
    calls++;
    return fault(what, call);
  };
  const through = (port: Cluster): Cluster => eachCall(port, counted);
  await place.resync({ identity: renamed, kinds: [after], through });
  await place.resync({ identity: renamed, kinds: [after] });
  expect(await dataOf(place), `${how} at ${at}`).toEqual({ one: { kept: 'c' } });
  for (const manager of managersOf(await familyOf(place)))
    expect(manager, `${how} at ${at}`).toMatch(renamed.name);
  await expectNoWrite(place, renamed, [after]);
  return calls;
}

describe('a kind that changes together with the name', () => {
  test('drops its fields and children wherever the run is interrupted', async () => {
    const calls = await interrupted({ at: Number.POSITIVE_INFINITY, how: 'a conflict' });
    expect(calls).toBeGreaterThan(8);
    const faults = Array.from({ length: calls }, (_, at) =>
      failureNames.map((how) => ({ at, how })),
    )
      .flat()
      .filter((_, nth) => (nth + Math.floor(nth / failureNames.length)) % stride === 0);
    await pMap(faults, interrupted, { concurrency: 4 });
  });

  test('sends the requests of its plan', async () => {
    const place = await noted();
    const given = { engine, place, kinds: [after], identity: renamed } as const;
    await compare({ ...given, how: 'resync' });
    expect(await dataOf(place)).toEqual({ one: { kept: 'c' } });
  });

  test('prunes its children without the former name, and drops fields once that is given', async () => {
    const place = await noted();
    await place.resync({ identity: forgetful, kinds: [after] });
    expect(await dataOf(place)).toEqual({ one: { kept: 'c', dropped: 'b' } });
    await place.resync({ identity: renamed, kinds: [after] });
    expect(await dataOf(place)).toEqual({ one: { kept: 'c' } });
  });

  test('writes nothing for a suspended resource', async () => {
    const place = await noted();
    const annotations = { [suspendAnnotation]: 'true' };
    await place.api.patch(before, 'shop', { metadata: { annotations } });
    await place.resync({ identity: old });
    await expectNoWrite(place, renamed);
    await place.api.patch(before, 'shop', { metadata: { annotations: null } });
    await place.resync({ identity: renamed });
    expect(managersOf(await familyOf(place))).toEqual(new Set([renamed.name]));
  });
});
