import { isIdle } from '../finalization.ts';
import { present } from '../json.ts';
import type { Child } from '../kinds/child.ts';
import type { Reference } from '../kinds/reads.ts';
import { keyOf, titleOf } from '../kubernetes.ts';
import { decide, isForeign } from './decision/decide.ts';
import {
  aboutOf,
  type Decided,
  type Decision,
  insteadOf,
  isWriteDecision,
  type Question,
} from './decision/decision.ts';
import { requireNeeds, resolveDependencies, siblingsOf } from './decision/dependencies.ts';
import { type Desired, desiredOf, refToReference } from './decision/desired.ts';
import { collisionReason, withoutWrite } from './decision/reasons.ts';
import { dueToTimeIn } from './decision/target.ts';
import type { ContestedWorld } from './drift/contest.ts';
import { holdersOf } from './drift/generated.ts';
import { isExposed, isExposing } from './exposure/exposing-child.ts';
import { exposures } from './exposure/exposures.ts';
import { readyOf } from './observed/conditions.ts';
import {
  isKnown,
  isOwn,
  type ReadTarget,
  readTarget,
  refOf,
  refTo,
  unlistedIn,
  type World,
} from './observed/world.ts';
import { type Unlisted, unlistedAmong, unwantedIn } from './unwanted.ts';

export type Plan =
  /** A resource that is left alone (`isIdle`). `deleting`: being deleted, without our finalizer. */
  | { readonly state: 'deleting' | 'suspended' }
  | { readonly state: 'invalid'; readonly message: string; readonly broken?: true }
  | UnseenPlan
  | CompletePlan;

/** The objects to read and the dry runs to make before a plan can be completed. */
export interface UnseenPlan {
  readonly state: 'unseen';
  /** The references to read first, because everything else depends on them. */
  readonly references?: readonly Reference[];
  /** Undesired children to read by name: they are in `status.children`, but the lists of their types lack them. */
  readonly listed?: readonly ReadTarget[];
  /** Other objects to read (`unseenNames`). */
  readonly names?: readonly ReadTarget[];
  /** Dry runs to make once everything else is known. */
  readonly questions?: readonly Question[];
  /** Deletions of observed children, to be counted for `PRUNE_LIMIT`. Only a complete plan carries them out. */
  readonly deletions: readonly Decision[];
}

/** A plan; `schedule` orders its decisions. */
export interface CompletePlan {
  readonly state: 'planned';
  /** Keys of the desired children, in the kind's order. If a reference cannot be read, keys of all our children. */
  readonly desiredKeys: readonly string[];
  readonly steps?: readonly string[];
  readonly readsLabels?: boolean;
  readonly until?: string;
  readonly decisions: readonly Decision[];
  /** Decisions about children that expose paths, in order. If a decision is not carried out, all later ones wait. */
  readonly exposures: readonly Decision[];
  readonly deletions: readonly Decision[];
  /** Set if types of desired children could not be listed. */
  readonly unlisted?: Unlisted;
  /** True if a reference cannot be read. No child is then compared. */
  readonly referenceFailed?: true;
}

/** Returns the decisions of a complete plan. */
export const decisionsOf = (planned: Plan): readonly Decision[] =>
  planned.state === 'planned'
    ? [planned.decisions, planned.exposures, planned.deletions].flat()
    : [];

/**
 * Decides about every child of one resource. A pure function.
 *
 * Guarantees: deletes only objects that are ours. Other objects are at most reported or adopted. Writes
 * nothing for a resource that is only observed.
 */
export function plan(world: ContestedWorld): Plan {
  const planned = planWrites({ ...world, dueToTime: dueToTimeIn(world) });
  if (planned.state !== 'planned' || !world.resource.observeOnly) return planned;
  const decisions = [...planned.decisions, ...planned.deletions].map(withoutWrite);
  return { ...planned, decisions, exposures: planned.exposures.map(withoutWrite), deletions: [] };
}

function planWrites(world: ContestedWorld): Plan {
  const { resource } = world;
  const { deleting } = resource;
  if (isIdle(resource)) return { state: deleting ? 'deleting' : 'suspended' };
  const instead = deleting ? insteadOfCleanUp(world) : undefined;
  if (instead !== undefined) return { ...nothingPlanned, decisions: instead };
  const found = desiredOf(world);
  if (!('children' in found)) return planWithoutDesired(world, found);
  const { children: desired, readsLabels, until } = found;
  const desiredKeys = desired.flatMap((child) => (child.ends ? [] : [keyOf(refOf(child))]));
  const { listed, deletions } = unwantedIn(world, new Set(desiredKeys));
  const names = unseenNames(desired, world);
  if (listed.length + names.length > 0) return { state: 'unseen', listed, names, deletions };
  const decided = decideAll(desired, world);
  const questions = decided.flatMap(({ decision }) =>
    decision.verb === 'ask' && !world.givenUp.has(keyOf(decision.child)) ? decision : [],
  );
  if (questions.length > 0) return { state: 'unseen', questions, deletions };
  const givenUp = givenUpIn(world);
  const steps = desired.filter(({ step }) => step !== undefined).map((one) => keyOf(refOf(one)));
  const unlisted = unlistedAmong(decided, world);
  return {
    state: 'planned',
    desiredKeys,
    steps,
    readsLabels,
    ...present({ unlisted, until }),
    decisions: decided
      .filter(({ child }) => !isExposing(child.type))
      .map(({ decision }) => givenUp(decision)),
    exposures: deleting ? [] : exposuresIn(world, decided).map(givenUp),
    deletions: deletions.map(givenUp),
  };
}

/** Ready's reason while a deleted resource waits for its clean-up. */
export const finalizing = 'Finalizing';

/**
 * Returns the decisions about a deleted resource that is not cleaned up now: none if its kind has no `finalize`; a wait
 * if the garbage collector has yet to orphan its children. Returns undefined if the run cleans up.
 */
export function insteadOfCleanUp({ kind, resource }: World): readonly Decision[] | undefined {
  if (kind.finalize === undefined) return [];
  if (!resource.orphans) return undefined;
  const { name, namespace } = resource;
  const child = refTo(kind, name);
  const message = `${titleOf(child)} is cleaned up once the garbage collector has orphaned its children`;
  return [{ type: kind, child, namespace, verb: 'wait', reason: finalizing, message }];
}

const nothingPlanned: CompletePlan = {
  state: 'planned',
  desiredKeys: [],
  decisions: [],
  exposures: [],
  deletions: [],
};

function planWithoutDesired(
  { resource, children }: World,
  desired: Exclude<Desired, { readonly children: unknown }>,
): Plan {
  if ('invalid' in desired) {
    const { invalid: message, broken } = desired;
    return { state: 'invalid', message, ...present({ broken }) };
  }
  if ('missing' in desired) return { state: 'unseen', references: desired.missing, deletions: [] };
  const own = [...children].filter(([, child]) => isOwn(resource, child));
  return {
    ...nothingPlanned,
    referenceFailed: true,
    desiredKeys: own.map(([key]) => key).toSorted(),
    decisions: desired.failed.map(({ failure, ...reference }) => {
      const child = refToReference(resource, reference);
      const { type, namespace } = reference;
      return { type, namespace, child, verb: 'fail', ...failure };
    }),
  };
}

function exposuresIn(world: ContestedWorld, decided: readonly Decided[]): readonly Decision[] {
  if (!world.kind.owns.some(isExposing)) return [];
  const desired = decided.filter(({ child }) => isExposing(child.type));
  const names = new Set(desired.map(({ child }) => child.name));
  // Includes desired objects that lost their owner references, because these still expose paths.
  const live = [...world.children.values()].filter(
    (child) => isExposing(child.type) && (isOwn(world.resource, child) || names.has(child.name)),
  );
  return exposures(siblingsOf(decided), { world, desired, live });
}

/** Turns a pending decision into a failure if its child is left for later (`givenUp`). */
const givenUpIn =
  ({ givenUp }: World) =>
  (decision: Decision): Decision => {
    const failure = givenUp.get(keyOf(decision.child));
    const isPending = isWriteDecision(decision) || ['wait', 'ask'].includes(decision.verb);
    if (failure === undefined || !isPending) return decision;
    return insteadOf(decision, { verb: 'fail', ...failure });
  };

/**
 * Returns objects that may exist although no list returned them:
 * - Secrets for generated data, and objects that use the data;
 * - children that expose paths, once the resource exposes anything;
 * - children to delete or keep at the end (`gone`, `kept`);
 * - targets (`actsOn`) of live children, which may be foreign;
 * - all desired children, if the last run found a foreign object: a create would conflict with it again;
 * - all desired children of a resource that is only observed: no create would find an unlabelled child.
 */
function unseenNames(desired: readonly Child[], world: World): readonly ReadTarget[] {
  const isListed = ({ type }: Child): boolean => unlistedIn(world, type) === undefined;
  const exposing = isExposed(world) ? desired.filter(({ type }) => isExposing(type)) : [];
  const isCollision = readyOf(world.resource)?.reason === collisionReason;
  const mayExist = isCollision || world.resource.observeOnly ? desired : [];
  const targets = desired.flatMap((child) => {
    const live = world.children.get(keyOf(refOf(child)));
    return child.actsOn && live && isOwn(world.resource, live) ? keyOf(refOf(child.actsOn)) : [];
  });
  const mayBeUnseen = [
    ...desired.flatMap((child) => holdersOf(child, world)),
    ...exposing.filter(isListed),
    ...mayExist,
    ...desired.filter((child) => targets.includes(keyOf(refOf(child)))),
    ...desired.filter((child) => child.ends && isListed(child)),
  ];
  return mayBeUnseen.map(readTarget).filter((ref) => !isKnown(world, ref));
}

function decideAll(desired: readonly Child[], world: ContestedWorld): readonly Decided[] {
  const listed = new Set(world.resource.status.children?.map(keyOf));
  const decided = desired.map((child): Decided => {
    const about = aboutOf(world, child);
    const key = keyOf(about.child);
    const observed = world.children.get(key);
    const one = { world, desired, child, ref: about.child, observed, isListed: listed.has(key) };
    const decision = { ...about, ...decide(one) } as Decision;
    return { child, observed, foreign: isForeign(one), decision };
  });
  // Once the resource exposes anything, children that expose paths no longer wait for other children.
  const isFree = isExposed(world);
  const siblings = siblingsOf(decided);
  return decided.map((one) => {
    if (!isExposing(one.child.type))
      return { ...one, decision: resolveDependencies(one, siblings, world) };
    return isFree ? one : { ...one, decision: requireNeeds(one, siblings, world) };
  });
}

/** Reports whether a plan has nothing to read, write or report. An error in a kind's code has to be reported. */
export const isNoop = (planned: Plan): boolean =>
  planned.state !== 'unseen' &&
  !(planned.state === 'invalid' && planned.broken) &&
  decisionsOf(planned).every(({ verb }) => verb === 'none' || verb === 'hold');
