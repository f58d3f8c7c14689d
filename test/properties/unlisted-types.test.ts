import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { openCluster } from '../../shared/cluster/http-cluster.ts';
import { defaultIdentity as identity } from '../../shared/identity.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { childTypesOf, type Kind } from '../../shared/kinds/kind.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import { observeResource } from '../../shared/plan/observed/observed-resource.ts';
import type { PlannedResource } from '../../shared/preview/planned-resource.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import { nodePortsOf } from '../../shared/run/node-ports.ts';
import type { Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { eachCall } from '../reconcile/calls.ts';
import { faultsIn, look } from '../reconcile/desired.ts';
import { isWriteRequest, namespaceType, type Place, type Settings } from '../reconcile/engine.ts';
import { kindsFor } from '../support/config.ts';
import { type DirectEngine, openDirectEngine } from './direct-engine.ts';
import { play } from './play.ts';
import { effort, testTimeoutMs } from './runs.ts';
import { type Step, scripts } from './script.ts';
import { familyScripts } from './script-of-families.ts';

const families = kindsFor({
  authUrl: 'https://auth.example.com/check',
  ingressClass: 'nginx',
}).filter(({ kind }) => ['Application', 'ContainerApp', 'Database'].includes(kind));

let engine: DirectEngine;
beforeAll(async () => {
  engine = await openDirectEngine();
});
afterAll(() => engine.cluster.stop());

interface Failure {
  readonly type: ChildType;
  readonly code: number;
}

/** Lets each list of a type fail. */
const without =
  ({ type, code }: Failure): Settings['through'] =>
  (cluster) =>
    eachCall(cluster, async (what, call) => {
      if (what !== `list ${type.plural}`) return call();
      const reason = code === 404 ? 'NotFound' : code === 403 ? 'Forbidden' : 'InternalError';
      throw new KubeError(what, { code, status: { reason } });
    });

/** Plans the namespace without writes. */
async function planned(
  { kinds, namespace }: Place,
  through: Settings['through'] = (cluster) => cluster,
): Promise<readonly PlannedResource[]> {
  const { connection } = engine.cluster;
  const deadline = Date.now() + 60_000;
  const cluster = through(openCluster(connection, { concurrency: 8, deadline, backoffMs: 1 }));
  const clients = { identity, log: createLog(() => undefined, 'ERROR'), now: () => new Date() };
  const run: Run = {
    cluster,
    clients,
    limits: { deadline, memory: openMemory()('local') },
    policy: { trigger: 'resync', seed: 1 },
    nodePorts: nodePortsOf(cluster),
  };
  const area = { kinds, namespaces: [namespace] };
  const options = { area, concurrency: 8, pruneLimit: () => 1000 };
  const { preview } = await previewRun(run, [{}], options);
  return preview.resources;
}

/** Describes the writes that a plan makes, by child. */
const writesIn = ({
  actions,
}: Pick<PlannedResource, 'actions'>): ReadonlyMap<string, readonly string[]> => {
  const writes = actions.filter(({ requests }) => requests.length > 0);
  const byChild = Map.groupBy(writes, ({ child }) => `${child.kind} ${child.name}`);
  return new Map(
    [...byChild].map(([child, all]) => [
      child,
      all.map(({ verb, differences }) => `${verb} ${JSON.stringify(differences)}`),
    ]),
  );
};

interface Desired {
  /** The kinds of children that depend on one of the type, or on each other. */
  readonly dependent: ReadonlySet<string>;
  /** The kinds that relations of desired children connect with the type, if one of it is desired. */
  readonly related: ReadonlySet<string>;
}

async function desiredBy(
  place: Place,
  { resource, name }: PlannedResource,
  type: ChildType,
): Promise<Desired> {
  const kind = place.kinds.find((one) => groupResource(one) === resource) as Kind;
  const live = await place.api.get(kind, name);
  const children = kind.desired(observeResource(kind, live, { identity }));
  if ('invalid' in children) return { dependent: new Set(), related: new Set() };
  const dependent = new Set([type.kind]);
  const isDesired = children.some((child) => child.type.kind === type.kind);
  const related = new Set(isDesired ? [type.kind] : []);
  for (const _ of children)
    for (const { type: own, needs = [], actsOn, generated } of children) {
      const others = [...needs, ...(actsOn ? [actsOn] : []), ...(generated?.usedBy ?? [])];
      const kinds = others.map((other) => other.type.kind);
      if (kinds.some((one) => dependent.has(one))) dependent.add(own.kind);
      const both = [own.kind, ...kinds];
      if (both.some((one) => related.has(one))) for (const one of both) related.add(one);
    }
  return { dependent, related };
}

/** Compares the plans of one world with and without the lists of a type. */
async function expectUnconcerned(place: Place, failure: Failure): Promise<void> {
  const { type } = failure;
  const whole = await planned(place);
  const partial = new Map((await planned(place, without(failure))).map((one) => [one.uid, one]));
  const uids = new Set([...whole.map(({ uid }) => uid), ...partial.keys()]);
  for (const uid of uids) {
    const resource = whole.find((one) => one.uid === uid) ?? partial.get(uid)!;
    const desired = await desiredBy(place, resource, type);
    const expected = writesIn(whole.find((one) => one.uid === uid) ?? { actions: [] });
    const found = writesIn(partial.get(uid) ?? { actions: [] });
    const isType = (child: string): boolean => child.startsWith(`${type.kind} `);
    // Each planned write is also planned with complete lists.
    for (const [child, writes] of found) {
      expect(isType(child), child).toBe(false);
      expect(expected.get(child), child).toEqual(writes);
    }
    for (const [child, writes] of expected) {
      if (isType(child)) continue;
      const [kind = ''] = child.split(' ');
      const isDeletion = writes.some((one) => one.startsWith('delete'));
      const mayWait = isDeletion && desired.related.has(kind);
      if (!mayWait && !desired.dependent.has(kind)) expect(found.get(child), child).toEqual(writes);
    }
  }
}

interface Given {
  readonly kinds: readonly Kind[];
  readonly worlds: fc.Arbitrary<readonly Step[]>;
}

const everyFailure = ({ kinds, worlds }: Given, cases: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      worlds,
      fc.constantFrom(...childTypesOf(kinds)),
      fc.constantFrom(403, 404, 500),
      async (steps, type, code) => {
        const place = await engine.place(kinds);
        for (const step of steps)
          if (step.do === 'resync') await place.resync();
          else await play(engine, place, step);
        await engine.cluster.controllers.settled();
        const failure = { type, code };
        await expectUnconcerned(place, failure);
        engine.cluster.requests.reset();
        await place.resync({ through: without(failure) });
        const written = place.requests().filter(isWriteRequest);
        expect(written.map(({ resource }) => resource)).not.toContain(type.plural);
        for (let resyncs = 0; resyncs < 3; resyncs++) {
          await engine.cluster.controllers.settled();
          await place.resync();
        }
        expect(faultsIn(await look(place.api, kinds))).toEqual([]);
        await engine.admin.remove(namespaceType, place.namespace);
      },
    ),
    effort(cases),
  );

test(
  'a failing list of one type changes no write of children of other types (Foos and Websites)',
  () => everyFailure({ kinds: [foo, website], worlds: scripts }, 200),
  testTimeoutMs,
);

test(
  'a failing list of one type changes no write of children that do not depend on it (families)',
  () => everyFailure({ kinds: families, worlds: familyScripts }, 200),
  testTimeoutMs,
);
