import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Child, child, defineKind, Type } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { present } from '../../shared/json.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { Json, KubeObject, OwnerReference } from '../../shared/kubernetes.ts';
import type { Report } from '../../shared/resync/report.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { faultsIn, look } from '../reconcile/desired.ts';
import { isWriteRequest, type Place } from '../reconcile/engine.ts';
import { type DirectEngine, openDirectEngine } from './direct-engine.ts';
import {
  anyCrowd,
  type Claims,
  crowd,
  hostileChild,
  hostileResource,
  hostileStatus,
} from './hostile-objects.ts';
import { effort, testTimeoutMs } from './runs.ts';

/** A cluster-scoped kind with Deployments in its own namespace, and one in a namespace of other tenants. */
const crew = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Crew',
  plural: 'crews',
  scope: 'Cluster',
  spec: Type.Object({ place: Type.String(), names: Type.Array(Type.String(), { maxItems: 3 }) }),
  samples: [{ name: 'crew', spec: { place: 'default', names: ['crew'] } }],
  owns: [deployment],
  children: ({ spec }) => [
    ...spec.names.map((name) => shift(name, spec.place)),
    shift('healthy-0', 'elsewhere'),
  ],
});

function shift(name: string, namespace: string): Child {
  const labels = { crew: name };
  const template = { metadata: { labels }, spec: { containers: [{ name, image: 'crew:1' }] } };
  const body = { spec: { replicas: 2, selector: { matchLabels: labels }, template } };
  return child(deployment, { name, namespace, body });
}

let engine: DirectEngine;
let place: Place;
const lines: string[] = [];
beforeAll(async () => {
  engine = await openDirectEngine((line) => lines.push(line), [crew]);
  place = await engine.place();
  const { api, nodePort } = place;
  for (const name of ['healthy-0', 'healthy-1', 'victim'])
    await api.create(foo, name, { spec: { deploymentName: name, replicas: 2 } });
  await api.create(website, 'site', { spec: { imageTag: 'v1', nodePort: nodePort() } });
  await place.resync();
});
afterAll(() => engine.cluster.stop());

const ownerOf = ({ apiVersion, kind, metadata }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
});

async function owners(names: (name: string) => boolean): Promise<readonly OwnerReference[]> {
  const all = [...(await place.api.list(foo)), ...(await place.api.list(website))];
  return all.filter(({ metadata }) => names(metadata.name)).map(ownerOf);
}

interface Intruders {
  readonly objects: readonly KubeObject[];
  /** Replaces the status of the Foo `victim`, however it is read. */
  readonly status?: unknown;
}

/** Adds objects to the cluster that no server of ours would store. */
const among =
  ({ objects, status }: Intruders) =>
  (cluster: Cluster): Cluster => ({
    ...cluster,
    withTimeout: (ms) => among({ objects, ...present({ status }) })(cluster.withTimeout(ms)),
    async list(type, selection, each) {
      const seen = (live: KubeObject): void =>
        void each(
          status !== undefined && isVictim(live) ? { ...live, status: status as Json } : live,
        );
      // Puts the hostile objects first, so that the others lack the time and memory that these use up.
      for (const live of objects) {
        const { kind, metadata } = live;
        const isElsewhere = ![undefined, metadata.namespace].includes(selection.namespace);
        if (kind === type.kind && !isElsewhere) each(live);
      }
      await cluster.list(type, selection, seen);
    },
  });

const isVictim = ({ kind, metadata }: KubeObject): boolean =>
  kind === foo.kind && metadata.name === 'victim';

/** Makes all healthy objects drift, and resyncs the whole cluster. */
async function resync(intruders: Intruders): Promise<Report> {
  const { api } = place;
  await place.resync();
  await api.scale(deployment, 'healthy-0', 7);
  await api.remove(deployment, 'healthy-1');
  await api.remove(service, 'site');
  engine.cluster.requests.reset();
  lines.length = 0;
  return engine.run({}, { kinds: place.kinds, through: among(intruders) });
}

/** Lists faults of all resources except the affected one. */
const harm = async (): Promise<readonly string[]> =>
  faultsIn(await look(place.api)).filter((fault) => !fault.startsWith('Foo victim:'));

function expectBounded(report: Report): void {
  expect(report.incomplete).toEqual([]);
  expect(report.undone).toEqual([]);
  expect(JSON.stringify(report).length).toBeLessThan(50_000);
  expect(lines.length).toBeLessThan(60);
  expect(lines.join('').length).toBeLessThan(100_000);
  expect(engine.cluster.requests.list().length).toBeLessThan(200);
}

/**
 * Fails if `observeChild` throws an error instead of returning it, if the limit `maxReads` of a run is
 * removed, or if every object is read completely, whatever was read before it.
 */
describe('Isolation: an object affects at most the resource to which it belongs', () => {
  test(
    'C-11 whatever an object contains, all other objects converge in one resync',
    async () => {
      const claims: Claims = {
        namespaces: [place.namespace],
        owners: await owners((name) => name === 'victim'),
      };
      const child = hostileChild(claims).filter(({ metadata }) =>
        metadata.name.startsWith('hostile'),
      );
      const resource = fc.constantFrom(foo, website).chain((kind) => hostileResource(kind, claims));
      const objects = fc.array(fc.oneof(child, child, resource), { maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(objects, anyCrowd(claims), hostileStatus, async (some, many, status) => {
          const { user } = process.threadCpuUsage();
          expectBounded(await resync({ objects: [...many, ...some], status }));
          expect(await harm()).toEqual([]);
          expect(process.threadCpuUsage().user - user).toBeLessThan(2_500_000);
        }),
        effort(60),
      );
    },
    testTimeoutMs,
  );

  test.each(['foreign owners', 'victim'])(
    'C-11 many objects of %s cost no more time than a few, and delay no others',
    async (name) => {
      const [owner] = await owners((one) => one === name);
      const { api, namespace } = place;
      const annotations = { theirs: 'x'.repeat(30_000) };
      await api.patch(deployment, 'healthy-0', { metadata: { annotations } });
      const spent: number[] = [];
      for (const count of [100, 100, 500]) {
        const objects = crowd(deployment, { count, owner, namespace });
        const { user } = process.threadCpuUsage();
        expectBounded(await resync({ objects }));
        spent.push(process.threadCpuUsage().user - user);
        expect(await harm()).toEqual([]);
      }
      const [, some = 0, many = 0] = spent;
      // A hundred objects that are read completely take a second.
      expect(many - some).toBeLessThan(1_000_000);
      await api.patch(deployment, 'healthy-0', { metadata: { annotations: { theirs: null } } });
    },
    testTimeoutMs,
  );
});

test(
  'C-11 one of many postponed children is repaired within some runs',
  async () => {
    const { api, namespace } = place;
    const [owner] = await owners((one) => one === 'victim');
    const annotations = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`theirs-${at}`, 'x'.repeat(1_000)]),
    );
    await api.patch(deployment, 'victim', { metadata: { annotations } });
    await api.scale(deployment, 'victim', 7);
    const through = among({ objects: crowd(deployment, { count: 60, owner, namespace }) });
    const replicas = async () => (await api.get(deployment, 'victim')).spec?.replicas;
    // Each run reads 16 of about 50 names, so 40 runs miss a name once in a million times.
    for (let runs = 0; runs < 40 && (await replicas()) === 7; runs++)
      await engine.run({ namespace, name: 'victim' }, { kinds: [foo], through });
    expect(await replicas()).toBe(2);
    await api.patch(deployment, 'victim', { metadata: { annotations: null } });
  },
  testTimeoutMs,
);

/**
 * Fails if children are grouped by uid without their namespace, if the search for a controller takes every
 * owner reference for an object, or if children in other namespaces must be in place before one is pruned.
 */
describe('Tenancy: permissions in another namespace affect nothing in this one', () => {
  test(
    'C-6 whatever owner an object claims, this namespace converges, and nothing is written in the other',
    async () => {
      const claims: Claims = { namespaces: ['elsewhere'], owners: await owners(() => true) };
      const objects = fc.array(hostileChild(claims), { maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(objects, async (found) => {
          const report = await resync({ objects: found });
          expectBounded(report);
          expect(report.failures).toEqual([]);
          expect(report.outcomes).toMatchObject({ created: 2, updated: 1, deleted: 0, skipped: 0 });
          expect(faultsIn(await look(place.api))).toEqual([]);
          const written = engine.cluster.requests.list().filter(isWriteRequest);
          expect(written.filter(({ namespace }) => namespace !== place.namespace)).toEqual([]);
        }),
        effort(60),
      );
    },
    testTimeoutMs,
  );

  test(
    'C-6 children of a cluster-scoped resource in this namespace are repaired and pruned, too',
    async () => {
      const { api, namespace, kinds } = place;
      const { admin } = engine;
      const namesOf = (...names: readonly string[]) => ({ spec: { place: namespace, names } });
      const resource = await admin.create(crew, 'crew', namesOf('crew'));
      const run = (objects: readonly KubeObject[]) =>
        engine.run({}, { kinds: [...kinds, crew], through: among({ objects }) });
      const claims: Claims = { namespaces: ['elsewhere'], owners: [ownerOf(resource)] };
      await fc.assert(
        fc.asyncProperty(fc.array(hostileChild(claims), { maxLength: 4 }), async (found) => {
          await admin.patch(crew, 'crew', namesOf('crew', 'dismissed'));
          await run([]);
          expect(await api.find(deployment, 'dismissed')).toBeDefined();
          await admin.patch(crew, 'crew', namesOf('crew'));
          await api.scale(deployment, 'crew', 7);
          await run(found);
          expect((await api.get(deployment, 'crew')).spec?.replicas).toBe(2);
          expect(await api.find(deployment, 'dismissed')).toBeUndefined();
          expect(faultsIn(await look(api))).toEqual([]);
        }),
        effort(60),
      );
      await admin.remove(crew, 'crew');
    },
    testTimeoutMs,
  );
});
