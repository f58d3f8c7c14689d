import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import {
  blockedBy,
  controllerOf,
  faultsIn,
  isAdoptable,
  isDeleting,
  isHeldUp,
  isLost,
  isOwn,
  isUnmet,
  look,
  type Scene,
} from '../reconcile/desired.ts';
import { desiredChildrenOf } from '../reconcile/desired-children.ts';
import {
  isWriteRequest,
  namespaceType,
  type Place,
  type RequestRecord,
  type Stage,
} from '../reconcile/engine.ts';
import { isSettled, type Live } from '../scenarios/api.ts';
import { permitted, typeOf } from './disturb.ts';
import { play } from './play.ts';
import { effort } from './runs.ts';
import type { Step } from './script.ts';

/** The number of resyncs that suffice to write children, find their pods ready, and report that. */
const resyncsNeeded = 3;

export interface Worlds {
  readonly scripts: fc.Arbitrary<readonly Step[]>;
  /** Names the kinds of the resources in the scripts. */
  readonly kinds: readonly Kind[];
  readonly cases: number;
  /** Lists additional faults at rest. */
  readonly further?: (scene: Scene) => readonly string[];
}

/**
 * Plays each script, then resyncs. Requires that all objects and statuses are as rows.md describes, that a
 * further run writes nothing and has nothing to do for Ready resources, and that foreign objects do not change.
 */
export const everyWorld = (stage: Stage, { scripts, cases, ...how }: Worlds): Promise<void> =>
  fc.assert(
    fc.asyncProperty(scripts, fc.boolean(), async (steps, paused) => {
      const { controllers, requests } = stage.cluster;
      requests.reset();
      controllers.resume();
      if (paused) controllers.pause();
      // The controllers still do the work that was due.
      for (let turns = 0; turns < 3; turns++) await nextTurn();
      const place = await stage.place(how.kinds);
      try {
        for (const step of steps) {
          await (step.do === 'resync' ? resync(stage, place) : play(stage, place, step));
        }
        await converge(stage, place, { paused, ...how });
      } finally {
        controllers.resume();
        await controllers.settled();
        await release(place);
        await stage.admin.remove(namespaceType, place.namespace);
        await controllers.settled();
      }
    }),
    effort(cases),
  );

/** Removes all finalizers. */
async function release({ api, kinds }: Place): Promise<void> {
  const { resources, children } = await look(api, kinds);
  for (const live of [...resources, ...children]) {
    const { finalizers, name } = live.metadata;
    const type = kinds.find(({ kind }) => kind === live.kind) ?? typeOf(live);
    if (finalizers !== undefined)
      await permitted(api.patch(type, name, { metadata: { finalizers: null } }));
  }
}

async function converge(
  stage: Stage,
  place: Place,
  { paused, further = () => [] }: Pick<Worlds, 'further'> & { readonly paused: boolean },
): Promise<void> {
  const { api, kinds } = place;
  await stage.cluster.controllers.settled();
  const start = await look(api, kinds);
  for (let resyncs = 0; resyncs < resyncsNeeded; resyncs++) await resync(stage, place);
  const scene = await look(api, kinds);
  expect([...faultsIn(scene), ...further(scene)]).toEqual([]);
  expect(misreported(scene, paused)).toEqual([]);
  const expected = additionsIn(start, paused, scene);
  expect(additionsIn(scene, paused)).toEqual(expect.arrayContaining(expected));
  stage.cluster.requests.reset();
  const { resources } = await place.resync();
  const unsettled = scene.resources.filter((one) => !isSettled(one));
  expect(resources.reconciled).toBeLessThanOrEqual(unsettled.length);
  expect(place.requests().filter(isWriteRequest).filter(isNoRetriedCreate(scene))).toEqual([]);
  expect(await look(api, kinds)).toEqual(scene);
}

/** Excludes a create that a foreign object blocks, because each resync tries it again. */
const isNoRetriedCreate =
  (scene: Scene) =>
  ({ resource, name, status }: RequestRecord): boolean =>
    status !== 409 ||
    ![
      ...scene.resources.flatMap((one) => blockedBy(scene, one)),
      ...scene.children.filter(isDeleting),
    ].some((live) => live.metadata.name === name && typeOf(live).plural === resource);

/** Lets the controllers finish, resyncs, and expects foreign objects to stay as they are. */
async function resync(stage: Stage, { api, kinds, resync: run }: Place): Promise<void> {
  await stage.cluster.controllers.settled();
  const before = await look(api, kinds);
  const report = await run();
  expect(report.incomplete).toEqual([]);
  const left = foreignIn(await look(api, kinds), before);
  expect(left).toEqual(foreignIn(before, before));
}

/** Lists objects that no resource here controlled or was to adopt, without the statuses that controllers write. */
function foreignIn(scene: Scene, at: Scene): readonly object[] {
  const own = new Set(at.resources.map(({ metadata }) => metadata.uid));
  const desired = at.resources.flatMap((resource) => desiredChildrenOf(resource) ?? []);
  const isWelcome = (live: Live): boolean =>
    desired.some((one) => one.name === live.metadata.name && isAdoptable(live, one));
  const uids = at.children
    .filter((live) => !own.has(controllerOf(live) ?? '') && !isWelcome(live))
    .map(({ metadata }) => metadata.uid);
  return scene.children
    .filter(({ metadata }) => uids.includes(metadata.uid))
    .map(({ status: _, metadata, ...live }) => {
      const { resourceVersion: __, managedFields = [], ...own } = metadata;
      const entries = managedFields.filter(({ subresource }) => subresource !== 'status');
      return { ...live, metadata: { ...own, managedFields: entries } };
    });
}

/** Lists resources whose conditions do not describe their state. */
function misreported(scene: Scene, paused: boolean): readonly string[] {
  return scene.resources.flatMap((resource) => {
    const { status, metadata, kind } = resource;
    const reasons = status?.conditions?.map(({ type, reason }) => `${type}=${reason}`) ?? [];
    const { words, acted } = expectedOf(scene, resource, paused);
    const isCurrent =
      !acted || hasLeftovers(resource) || status?.observedGeneration === metadata.generation;
    return isDeleting(resource) || (isCurrent && reasons.some((word) => words.test(word)))
      ? []
      : [`${kind} ${metadata.name} is not ${words}: ${JSON.stringify(status)}`];
  });
}

/** Reports whether unwanted children keep `observedGeneration` from being updated. */
const hasLeftovers = (resource: Live): boolean =>
  (resource.status?.children ?? []).some(
    ({ name }) => !desiredChildrenOf(resource)?.some((one) => one.name === name),
  );

interface Expected {
  readonly words: RegExp;
  /** True if the status is of the newest generation. */
  readonly acted: boolean;
}

function expectedOf(scene: Scene, resource: Live, paused: boolean): Expected {
  if (resource.metadata.annotations?.['serverless-reconciler/suspend'] === 'true')
    return { words: /^Suspended=Suspended$/, acted: false };
  const desired = desiredChildrenOf(resource);
  if (desired === undefined) return { words: /^Stalled=InvalidSpec$/, acted: true };
  const foreign = blockedBy(scene, resource).filter(
    (live) => !isDeleting(live) && !isUnmet(scene, resource, live),
  );
  const stalled = [
    ...(foreign.length > 0 ? ['ErrResourceExists'] : []),
    ...(desired.some((one) => isLost(scene, one)) ? ['CredentialsLost'] : []),
  ];
  if (stalled.length > 0)
    return { words: new RegExp(`^Stalled=(${stalled.join('|')})$`), acted: true };
  if (isHeldUp(scene, resource)) return { words: waitingWords, acted: false };
  if (paused) return { words: /^Reconciling=Progressing$/, acted: true };
  const isHalted = scene.children.some(
    (live) => isOwn(live, resource) && live.spec?.paused === true,
  );
  const words = isHalted ? /^(Ready=Ready|Reconciling=Progressing)$/ : /^Ready=Ready$/;
  return { words, acted: true };
}

/** Matches the reasons of a child being deleted, of one that needs it, or of an exposure that comes after it. */
const waitingWords = /^Reconciling=(ChildDeleting|DependencyPending|ExposurePending)$/;

/**
 * Lists what others added to desired children that are still wanted in `later`; nothing else scales while all
 * controllers are paused.
 */
function additionsIn(scene: Scene, paused: boolean, later = scene): string[] {
  const desired = scene.resources.flatMap((resource) => {
    const foreign = blockedBy(later, resource).map(
      ({ kind, metadata }) => `${kind} ${metadata.name}`,
    );
    return (
      (desiredChildrenOf(resource) ?? [])
        // Law 18 deletes a child that acts on a foreign object, including what others added to it.
        .filter(({ actsOn }) => actsOn === undefined || !foreign.includes(actsOn))
        .map(({ type, name }) => `${resource.metadata.uid} ${type.kind} ${name}`)
    );
  });
  return scene.children
    .filter((live) => desired.includes(`${controllerOf(live)} ${live.kind} ${live.metadata.name}`))
    .filter((live) => !isDeleting(live))
    .flatMap(({ kind, metadata, spec, data }) => {
      const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
      const { template, sessionAffinity, strategy, replicas } = (spec ?? {}) as unknown as Spec;
      const isScaled =
        paused && kind === 'Deployment' && ownerReferences[0]?.kind === 'ContainerApp';
      const containers = template?.spec.containers ?? [];
      const names = [
        ...Object.keys({ ...labels, ...annotations }).filter((key) => key.startsWith('other/')),
        ...Object.keys(template?.metadata.labels ?? {}).filter((key) => key.startsWith('other/')),
        ...containers.flatMap(({ name, env = [] }) => [
          ...(name === 'nginx' ? [] : [name]),
          ...env.map((one) => one.name),
        ]),
        ...Object.keys(data ?? {}).filter((key) => /^(other|theirs)$/.test(key)),
        ...(isScaled ? [`replicas ${replicas}`] : []),
        `session affinity ${sessionAffinity}`,
        `strategy ${strategy?.type}`,
      ];
      return names.map((name) => `${kind} ${metadata.name}: ${name}`);
    });
}

interface Spec {
  readonly replicas?: number;
  readonly sessionAffinity?: string;
  readonly strategy?: { readonly type: string };
  readonly template?: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: {
      readonly containers: readonly {
        readonly name: string;
        readonly env?: readonly { readonly name: string }[];
      }[];
    };
  };
}
