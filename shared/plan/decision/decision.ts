import { withoutUndefined } from '../../canonical.ts';
import { present } from '../../json.ts';
import type { Child } from '../../kinds/child.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import type { Kind } from '../../kinds/kind.ts';
import {
  type Json,
  type JsonObject,
  keyOf,
  type ObjectRef,
  type ObjectVersion,
  qualifiedName,
  titleOf,
} from '../../kubernetes.ts';
import type { Fight, FightDetector } from '../drift/contest.ts';
import { type Difference, differencesBetween } from '../drift/differences.ts';
import { isRotationDue, missingData, rotationText } from '../drift/generated.ts';
import { keepGrown } from '../drift/grown.ts';
import { fieldsAt, handOverFields, omit } from '../drift/hand-over.ts';
import { generatedFields } from '../drift/new-fields.ts';
import { isOverexposed } from '../drift/overexposed.ts';
import { type Applied, completionOf, wantedDigest } from '../observed/applied.ts';
import { desiredFields } from '../observed/apply-manifest.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { isAdoptable, isOrphan, isOwn } from '../observed/ownership.ts';
import {
  type Asked,
  type FailedRequest,
  type ReadTarget,
  refOf,
  typeNotServed,
  unlistedIn,
  type World,
} from '../observed/world.ts';
import { answerFor, appliedTo, isAsApplied, newRecord, wasComplete } from './records.ts';

/** An action for one child, and its reason. It is performed exactly as decided, or not at all. */
export type Decision = Create | Update | Consolidate | Withdraw | Delete | NoWriteDecision;

interface About {
  readonly type: ChildType;
  readonly child: ObjectRef;
  readonly namespace: string;
  /** Children that must be as wanted when this is performed; otherwise this waits. */
  readonly needs?: readonly ObjectRef[];
}

export interface Create extends About, Fields {
  readonly verb: 'create';
  /** True if the status lists the child, so it existed before. */
  readonly lost: boolean;
}

export interface Update extends About, Fields, Locked {
  readonly verb: 'update';
  /** What the apply changes, by its dry run; undefined if only its answer will show it. */
  readonly differences: readonly Difference[] | undefined;
  /** Live values that the handover manager applies before ours drops them. */
  readonly handOver: JsonObject | undefined;
  /** JSON patch that removes fields of other managers that the server refuses together with ours. */
  readonly untangles?: readonly JsonObject[];
  /** True if the child is deleted and created again, because an immutable field differs. */
  readonly recreates?: true;
  /** True if managedFields of a former name become ours first; otherwise fields that only they hold would stay. */
  readonly renames?: true;
}

/** Removes from legacy managedFields entries the fields that our Apply entry names, and replaces former names. */
export interface Consolidate extends About, Locked {
  readonly verb: 'consolidate';
}

/** Removes some paths from an exposing child that is unwanted or being deleted; further ones follow later. */
interface Withdraw extends About, Locked {
  readonly verb: 'withdraw';
  /** The field that holds the paths, and its value without them. */
  readonly difference: Difference & { readonly to: Json };
}

export interface Delete extends About, Locked {
  readonly verb: 'delete';
  /** The record to store of a child that was not known to be complete. */
  readonly record?: Applied;
  /** Set for a wanted child whose target is foreign. */
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Writes nothing: the child is as wanted, or the decision says why not. A held child waits for its turn in a rollout
 * and counts as wanted until then.
 */
export type NoWriteDecision = About &
  (
    | {
        readonly verb: 'none';
        /** The record to store of a child that is in order, if it is new. */
        readonly record?: Applied;
        /** Set for a child that is gone because it was complete: see `completionOf`. */
        readonly completion?: string;
      }
    | Ask
    | ({ readonly verb: 'wait'; readonly postponed?: Postponed } & Why)
    | ({ readonly verb: 'hold' | 'block' } & Why)
    | ({ readonly verb: 'defer' } & Fight)
    | ({ readonly verb: 'fail' } & FailedRequest)
  );

/** The server is to be asked what an apply of the fields would change. */
interface Ask {
  readonly verb: 'ask';
  readonly fields: JsonObject;
  /** Set if the child can be decided without an answer. */
  readonly compares?: true;
}

interface Why {
  readonly reason: string;
  readonly message: string;
}

/** A write that waits for another child. */
interface Postponed {
  readonly write: WriteDecision;
  readonly until: ObjectRef;
}

/** A wanted child and the decision about it. */
export interface Decided {
  readonly child: Child;
  readonly observed: ObservedChild | undefined;
  /** True if an object of that name exists and is foreign. */
  readonly foreign: boolean;
  readonly decision: Decision;
}

interface Locked {
  /** The version that the write is locked to; `previous`: the one that this run's last write of the child returned. */
  readonly lock: ObjectVersion | 'previous';
}

interface Fields {
  readonly fields: JsonObject;
  /** All fields of a creation, which are applied first, and those among them that are then left to others. */
  readonly initially?: { readonly whole: JsonObject; readonly left: JsonObject };
  /** True for a second repair within 30 s, made because the child may admit requests; no further Event. */
  readonly repeated?: true;
  /** Keys of Secret data to be generated when this is performed, under a separate manager. */
  readonly generates?: readonly string[];
  /** The text for which it is generated. */
  readonly rotation?: string;
  /** Objects that must not exist when data is generated. */
  readonly usedBy?: readonly ReadTarget[];
}

interface Case {
  readonly child: Child;
  readonly ref: ObjectRef;
  readonly world: World;
  /** True if the status lists the child, so it existed before. */
  readonly existedBefore: boolean;
  readonly observed: ObservedChild | undefined;
  readonly detectFight: FightDetector | undefined;
}

/** A decision without the child that it is about. */
export type DecisionBody<D extends Decision = Decision> = D extends Decision
  ? Omit<D, keyof About>
  : never;

/** A decision that changes the child. */
export type WriteDecision = Exclude<Decision, NoWriteDecision>;

export const isWriteDecision = (decision: Decision): decision is WriteDecision =>
  !['none', 'ask', 'wait', 'hold', 'defer', 'block', 'fail'].includes(decision.verb);

/** Decides about one wanted child. A foreign object is only reported. */
export function decide(one: Case): DecisionBody {
  const { world, child, ref, existedBefore, observed } = one;
  if (child.gone) return untilGone(one);
  if (child.blocked !== undefined) return blocked(child.blocked);
  const unlisted = unlistedIn(world, child.type);
  if (unlisted !== undefined)
    return unlisted.transient ? { verb: 'fail', ...unlisted } : blocked(unlisted);
  if (isForeign(one)) return foreign(world.kind, ref);
  if (observed?.deleting) return { verb: 'wait', ...beingDeleted(ref) };
  if (observed?.unreadable !== undefined) return unreadable(ref, observed.unreadable);
  const missing = missingData(one);
  if ('verb' in missing) return missing;
  const whole = desiredFields(world, child);
  const wanted = omit(whole, child.initial);
  const desired = observed === undefined ? wanted : keepGrown(wanted, observed);
  const isAdopted = observed !== undefined && !isOwn(world.resource, observed);
  const isDue = isRotationDue(child, observed);
  const keepsData = isAdopted && observed.facts.rotation === undefined;
  const generates = generationOf(child, missing, { isDue, keepsData });
  if (observed !== undefined) return decideOnLive(one, observed, { fields: desired, ...generates });
  const isOnce = child.step === 'once' || child.type.expires?.(desired) === true;
  if (isOnce && wasComplete(world, ref, desired))
    return { verb: 'none', completion: completionOf(keyOf(ref), wantedDigest(desired)) };
  const fields = withoutUndefined(desired);
  const first = { ...initialFields(one), ...generates };
  const write = { verb: 'create', fields, lost: existedBefore, ...first } as const;
  return existedBefore ? unlessFought(one, write, []) : write;
}

/** Deletes an object that must be gone, and waits for it. One that is not ours counts as gone. */
function untilGone({ world, child, ref, observed }: Case): DecisionBody {
  const unknown = unlistedIn(world, child.type) ?? world.unread?.get(keyOf(ref));
  if (observed === undefined && unknown !== undefined && unknown.reason !== typeNotServed)
    return { verb: 'fail', ...unknown };
  if (observed === undefined || !isOwn(world.resource, observed)) return { verb: 'none' };
  if (observed.deleting) return { verb: 'wait', ...beingDeleted(ref) };
  return { verb: 'delete', lock: versionOf(observed) };
}

/**
 * What is generated with a write: lost data only if nothing uses it, all data if a rotation is due. A Secret that is
 * adopted without the text of a rotation only gets the text.
 */
function generationOf(
  { generated }: Child,
  missing: readonly string[],
  { isDue, keepsData }: { readonly isDue: boolean; readonly keepsData: boolean },
): Pick<Fields, 'generates' | 'usedBy' | 'rotation'> {
  if (generated === undefined || (missing.length === 0 && !isDue)) return {};
  const { keys, usedBy, rotation } = generated;
  const holders = usedBy.map((holder) => ({ ...refOf(holder), type: holder.type }));
  return {
    generates: isDue && !keepsData ? keys : missing,
    usedBy: missing.length === 0 ? [] : holders,
    ...present({ rotation: rotation && rotationText(rotation) }),
  };
}

/** The fields that a creation sets and leaves to others. */
function initialFields({ child, world }: Case): Pick<Fields, 'initially'> {
  if (child.initial === undefined) return {};
  const whole = withoutUndefined(desiredFields(world, child));
  return { initially: { whole, left: fieldsAt(whole, child.initial) } };
}

/** Reports whether the object of the wanted name is foreign and must not be adopted. */
export const isForeign = ({
  world,
  child,
  observed,
}: Pick<Case, 'world' | 'child' | 'observed'>): boolean =>
  observed !== undefined &&
  !isOwn(world.resource, observed) &&
  !(world.adopts && isAdoptable(world, observed)) &&
  !(child.onCollision === 'adopt-if-unowned' && isOrphan(world, observed));

/**
 * Decides about a live child by the record of the last apply, or by the server's answer to a dry run.
 *
 * Guarantees: a child that differs from its record is written without a dry run only if the server answers none, or
 * if nothing depends on what the apply changes: see `appliesAtOnce`.
 */
function decideOnLive(
  one: Case,
  observed: ObservedChild,
  { fields: desired, ...generation }: Fields,
): DecisionBody {
  const { child, world } = one;
  const fields = withoutUndefined(desired);
  const isWhole = generation.generates === undefined;
  const answer = answerFor(world, observed, fields);
  const isSame = isWhole && isAsApplied(fields, observed, world);
  const handOver = handOverFields(child, fields, observed);
  const isSimple = handOver === undefined && observed.former !== true;
  const isKnown = isSame || (isSimple && appliesAtOnce(one, fields));
  const needsAnswer = isWhole && (world.compares === true || !isKnown);
  if (answer === undefined && needsAnswer)
    return { verb: 'ask', fields, ...present({ compares: isSame || undefined }) };
  const isRefused = answer?.refusal !== undefined;
  const isUnchanged =
    answer?.after === undefined || isRefused ? isSame : isWhole && changesNothing(observed, answer);
  if (isUnchanged) return withoutDrift(one, observed, newRecord(fields, observed, world));
  const recreates = answer?.refusal?.reason === immutableReason && child.recreate !== undefined;
  if (isRefused && !recreates) return refused(answer.refusal);
  const seen = answer?.after && differencesBetween(observed, answer.after);
  const write = {
    verb: 'update',
    lock: versionOf(observed),
    fields,
    ...generation,
    differences: isWhole ? seen : [...(seen ?? []), ...generatedFields(generation, observed)],
    handOver: recreates ? undefined : handOver,
    ...(recreates ? { recreates, ...initialFields(one) } : {}),
    ...present({ untangles: answer?.untangles }),
    ...(observed.former ? { renames: true as const } : {}),
  } as const;
  return unlessFought(one, write, write.differences ?? []);
}

/** Reports whether the apply would change neither a value nor the ownership of a field. */
const changesNothing = ({ ours }: ObservedChild, { after, untangles }: Asked): boolean =>
  untangles === undefined && ours !== undefined && ours.values === after?.ours?.values;

/**
 * Reports whether an update needs no dry run, because nothing depends on what it changes: a repair in a resync, or a
 * change that is known to wait for its turn in a rollout.
 */
function appliesAtOnce({ child, world, observed, detectFight }: Case, fields: JsonObject): boolean {
  const record = appliedTo(world, observed);
  if (record === undefined || world.foresees === true || child.type.exposure !== undefined)
    return false;
  return record.wanted === wantedDigest(fields, observed?.salt)
    ? detectFight === undefined
    : world.resource.rollout?.reason === 'Waiting';
}

/** Blocks a child if an immutable field was to change; any other refusal is a failure. */
const refused = (refusal: FailedRequest): DecisionBody => {
  const { transient: _, ...why } = refusal;
  return refusal.reason === immutableReason
    ? { verb: 'block', ...why }
    : { verb: 'fail', ...refusal };
};

function withoutDrift(
  { ref, detectFight }: Case,
  observed: ObservedChild,
  record: Applied | undefined,
): DecisionBody {
  const attempt = { verb: 'consolidate', child: ref, observed, differences: [] } as const;
  return observed.legacy && detectFight?.(attempt) === undefined
    ? { verb: 'consolidate', lock: versionOf(observed) }
    : { verb: 'none', ...present({ record }) };
}

export const versionOf = ({ uid, resourceVersion }: ObjectVersion): ObjectVersion => ({
  uid,
  resourceVersion,
});

/** Defers a contested write to the next resync, unless it restricts access. */
function unlessFought(
  { child, ref, observed, detectFight }: Case,
  write: DecisionBody<Create | Update>,
  differences: readonly Difference[],
): DecisionBody {
  const fight = detectFight?.({ verb: write.verb, child: ref, observed, differences });
  if (fight === undefined) return write;
  return isOverexposed(child, observed, differences)
    ? { ...write, repeated: true }
    : { verb: 'defer', ...fight };
}

export const beingDeleted = (child: ObjectRef) => ({
  reason: 'ChildDeleting',
  message: `${titleOf(child)} is being deleted`,
});

export const exposurePending = (child: ObjectRef) => ({
  reason: 'ExposurePending',
  message: `${titleOf(child)} waits for an earlier change of another ${child.kind}, so that no request is admitted without authorization`,
});

export const waitingFor = (child: ObjectRef, other: ObjectRef) => ({
  reason: 'DependencyPending',
  message: `${titleOf(child)} waits for ${titleOf(other)}`,
});

/** Keeps an unwanted object, such as a Namespace, that may contain foreign objects. */
export const retained = (child: ObjectRef) =>
  ({
    verb: 'block',
    reason: 'Retained',
    message: `${titleOf(child)} is no longer wanted, but is kept because deleting it would delete everything in it: delete it by hand, or remove its owner reference to keep it`,
  }) as const;

/** Blocks writes and the deletion of an unreadable child, because the effect would be unknown. */
export const unreadable = (child: ObjectRef, why: string) =>
  ({
    verb: 'block',
    reason: 'UnreadableChild',
    message: `${titleOf(child)} cannot be read: ${why}`,
  }) as const;

const blocked = ({ transient, ...why }: NonNullable<Child['blocked']>): DecisionBody => ({
  verb: transient === true ? 'wait' : 'block',
  ...why,
});

export const collisionReason = 'ErrResourceExists';

const foreign = ({ kind }: Kind, { kind: type, namespace, name }: ObjectRef): DecisionBody => ({
  verb: 'block',
  reason: collisionReason,
  message: `Resource "${qualifiedName(namespace, name)}" already exists and is not managed by ${kind}; it is a ${type}`,
});

export const immutableReason = 'ImmutableFieldChanged';
