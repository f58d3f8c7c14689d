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
  isUnmet,
  look,
  type Scene,
} from '../reconcile/desired.ts';
import {
  isWriteRequest,
  namespaceType,
  type Place,
  type RequestRecord,
  type Stage,
} from '../reconcile/engine.ts';
import { wantedOf } from '../reconcile/wanted-children.ts';
import type { Live } from '../scenarios/api.ts';
import { typeOf } from './disturb.ts';
import { play } from './play.ts';
import { effort } from './runs.ts';
import type { Step } from './script.ts';

/** Writes children, sees their pods ready, says so. */
const resyncsNeeded = 3;

export interface Worlds {
  readonly scripts: fc.Arbitrary<readonly Step[]>;
  /** The kinds of the resources in them. */
  readonly kinds: readonly Kind[];
  readonly cases: number;
  /** What else is wrong once everything is quiet. */
  readonly further?: (scene: Scene) => readonly string[];
}

/**
 * Plays each script, then resyncs: everything is as systems.md says, and so is its status; a further run
 * writes nothing; foreign objects are untouched.
 */
export const everyWorld = (stage: Stage, { scripts, cases, ...how }: Worlds): Promise<void> =>
  fc.assert(
    fc.asyncProperty(scripts, fc.boolean(), async (steps, paused) => {
      const { controllers, requests } = stage.cluster;
      requests.reset();
      controllers.resume();
      if (paused) controllers.pause();
      // A turn of theirs that was due already is still taken.
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

/** Takes away what holds the deleted. */
async function release({ api, kinds }: Place): Promise<void> {
  for (const live of (await look(api, kinds)).children.filter(isDeleting)) {
    await api.patch(typeOf(live), live.metadata.name, { metadata: { finalizers: null } });
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
  expect(additionsIn(scene, paused)).toEqual(expect.arrayContaining(additionsIn(start, paused)));
  stage.cluster.requests.reset();
  await place.resync();
  expect(place.requests().filter(isWriteRequest).filter(isBesideTheWay(scene))).toEqual([]);
  expect(await look(api, kinds)).toEqual(scene);
}

/** Where something stands in the way, a create is tried again at every resync, and refused. */
const isBesideTheWay =
  (scene: Scene) =>
  ({ resource, name, status }: RequestRecord): boolean =>
    status !== 409 ||
    ![
      ...scene.resources.flatMap((one) => blockedBy(scene, one)),
      ...scene.children.filter(isDeleting),
    ].some((live) => live.metadata.name === name && typeOf(live).plural === resource);

/** A run, before which the controllers have done their part; what is not ours stays as it is. */
async function resync(stage: Stage, { api, kinds, resync: run }: Place): Promise<void> {
  await stage.cluster.controllers.settled();
  const before = await look(api, kinds);
  const report = await run();
  expect(report.incomplete).toEqual([]);
  const left = foreignIn(await look(api, kinds), before);
  expect(left).toEqual(foreignIn(before, before));
}

/** Objects that no resource here controlled, nor was to take over. */
function foreignIn(scene: Scene, at: Scene): readonly Live[] {
  const own = new Set(at.resources.map(({ metadata }) => metadata.uid));
  const wanted = at.resources.flatMap((resource) => wantedOf(resource) ?? []);
  const isWelcome = (live: Live): boolean =>
    wanted.some((one) => one.name === live.metadata.name && isAdoptable(live, one));
  const uids = at.children
    .filter((live) => !own.has(controllerOf(live) ?? '') && !isWelcome(live))
    .map(({ metadata }) => metadata.uid);
  return scene.children.filter(({ metadata }) => uids.includes(metadata.uid));
}

/** Resources whose conditions do not say how things are. */
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

/** What an edit no longer wants and what is in its way keep the generation back. */
const hasLeftovers = (resource: Live): boolean =>
  (resource.status?.children ?? []).some(
    ({ name }) => !wantedOf(resource)?.some((one) => one.name === name),
  );

interface Expected {
  readonly words: RegExp;
  /** The status is of the newest generation. */
  readonly acted: boolean;
}

function expectedOf(scene: Scene, resource: Live, paused: boolean): Expected {
  if (resource.metadata.annotations?.['serverless-reconciler/suspend'] === 'true')
    return { words: /^Suspended=Suspended$/, acted: false };
  const wanted = wantedOf(resource);
  if (wanted === undefined) return { words: /^Stalled=InvalidSpec$/, acted: true };
  const foreign = blockedBy(scene, resource).filter((live) => !isUnmet(scene, resource, live));
  const stalled = [
    ...(foreign.length > 0 ? ['ErrResourceExists'] : []),
    ...(wanted.some((one) => isLost(scene, one)) ? ['CredentialsLost'] : []),
  ];
  if (stalled.length > 0)
    return { words: new RegExp(`^Stalled=(${stalled.join('|')})$`), acted: true };
  if (isHeldUp(scene, resource)) return { words: waitingWords, acted: false };
  return { words: paused ? /^Reconciling=Progressing$/ : /^Ready=Ready$/, acted: true };
}

/** Of a child that is on its way out, of one that needs it, or of an exposure that comes after it. */
const waitingWords = /^Reconciling=(ChildDeleting|DependencyPending|ExposurePending)$/;

/** What others put beside ours in wanted children; nothing else scales while all controllers are paused. */
function additionsIn(scene: Scene, paused: boolean): string[] {
  const wanted = scene.resources.flatMap((resource) => {
    const foreign = blockedBy(scene, resource).map(
      ({ kind, metadata }) => `${kind} ${metadata.name}`,
    );
    return (
      (wantedOf(resource) ?? [])
        // Law 18: what acts on a foreign object is deleted, and what others put there with it.
        .filter(({ actsOn }) => actsOn === undefined || !foreign.includes(actsOn))
        .map(({ type, name }) => `${resource.metadata.uid} ${type.kind} ${name}`)
    );
  });
  return scene.children
    .filter((live) => wanted.includes(`${controllerOf(live)} ${live.kind} ${live.metadata.name}`))
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
