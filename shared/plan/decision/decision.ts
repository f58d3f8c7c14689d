import type { Child, ChildName } from '../../kinds/child.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import type { Generator } from '../../kinds/references/generated-data.ts';
import type { Json, JsonObject, ObjectRef, ObjectVersion } from '../../kubernetes.ts';
import type { Fight } from '../drift/contest.ts';
import type { Difference } from '../drift/differences.ts';
import type { Applied } from '../observed/applied.ts';
import type { ObservedChild } from '../observed/observed.ts';
import {
  type FailedRequest,
  namespaceOf,
  type ReadTarget,
  refOf,
  type Why,
  type World,
} from '../observed/world.ts';

/** The action for one child, with its reason. It is performed exactly as decided or not at all. */
export type Decision = Create | Update | Consolidate | Withdraw | Delete | NoWriteDecision;

interface Named {
  readonly type: ChildType;
  readonly child: ObjectRef;
  readonly namespace: string;
}

interface About extends Named {
  /** Children that must be up to date before this is performed. */
  readonly needs?: readonly ObjectRef[];
}

export interface Create extends About, Fields {
  readonly verb: 'create';
  /** True if `status.children` lists the child, so its creation is a repair. */
  readonly lost: boolean;
}

export interface Update extends About, Fields, Locked, Partial<Why> {
  readonly verb: 'update';
  /** The changes that the apply makes, by its dry run; undefined if there was none. */
  readonly differences: readonly Difference[] | undefined;
  /** Live values of fields that we no longer set. The handover manager applies them first, so that they stay. */
  readonly handOver: JsonObject | undefined;
  /** JSON patch that removes other managers' fields, because the server refuses them together with ours. */
  readonly untangles?: readonly JsonObject[];
  /** True if the child is deleted and created again, because an immutable field differs. */
  readonly recreates?: true;
  /** Set if this only restores the last apply, while the write of new fields waits: for the reason given, or its turn. */
  readonly postponed?: Postponed;
}

/** Removes from legacy entries in managedFields the fields that our Apply entry names. */
export interface Consolidate extends About, Locked {
  readonly verb: 'consolidate';
}

/** Removes some paths from an unwanted or terminating exposing child. Later decisions remove the others. */
interface Withdraw extends About, Locked {
  readonly verb: 'withdraw';
  /** The field with the paths, and its value after the removal. */
  readonly difference: Difference & { readonly to: Json };
}

/** Has a reason only if the child is desired: its target is foreign, or its step is recorded as complete. */
export interface Delete extends About, Locked, Partial<Why> {
  readonly verb: 'delete';
  /** The record of a child that completed since the last run, to be stored in the status. */
  readonly record?: Applied;
}

/**
 * Writes nothing, because the child is up to date, or for the reason given. `hold`: the child waits for its
 * turn in a rollout, and counts as up to date until then. `drift`: the write that is omitted, because the resource is only
 * observed.
 */
export type NoWriteDecision = About &
  (
    | {
        readonly verb: 'none';
        /** The record of a child without drift, to be stored in the status if it is new. */
        readonly record?: Applied;
        /** Set for a completed child that no longer exists and is not created again: see `completionOf`. */
        readonly completion?: string;
      }
    | ({ readonly verb: 'ask' } & Question)
    | ({ readonly verb: 'wait'; readonly postponed?: Postponed; readonly record?: Applied } & Why)
    | ({ readonly verb: 'hold' | 'block'; readonly drift?: WriteDecision } & Why)
    | ({ readonly verb: 'defer' } & Fight)
    | ({ readonly verb: 'fail' } & FailedRequest)
  );

/** Asks what an apply of these fields would change in a child. A dry run shows it. */
export interface Question extends Named {
  readonly fields: JsonObject;
  /** The version of the child that was observed. */
  readonly lock: ObjectVersion;
  /** Live values that the handover manager will apply before ours drops them. */
  readonly handOver?: JsonObject | undefined;
  /** Set if the child can be decided without a dry run. */
  readonly compares?: true;
}

/** A write that waits until another child (`until`) is up to date, or for its turn in a rollout. */
export interface Postponed {
  readonly write: WriteDecision;
  readonly until?: ObjectRef;
  /** Belongs into the record of a repair: see `Applied`. */
  readonly alike?: string;
}

/** A desired child, its live state and the decision about it. */
export interface Decided {
  readonly child: Child;
  readonly observed: ObservedChild | undefined;
  /** True if an object of that name exists and is not ours. */
  readonly foreign: boolean;
  readonly decision: Decision;
}

interface Locked {
  /**
   * The version that the write is locked to. `previous`: the one that this run's last write of the child
   * returned.
   */
  readonly lock: ObjectVersion | 'previous';
}

/** The fields that a write applies, and how. */
export interface Fields extends Generator {
  readonly fields: JsonObject;
  /**
   * `whole`: all fields of a creation, which are applied first. `left`: those of them that are then left to
   * others (`Child.initial`).
   */
  readonly initially?: { readonly whole: JsonObject; readonly left: JsonObject };
  /** True for a second repair within 30 s, made because the child may admit requests. It posts no further Event. */
  readonly repeated?: true;
  /** Keys of Secret data to generate with this write, under a separate field manager. */
  readonly generates?: readonly string[];
  /** Value of the annotation for the generated data: see `rotationText`. */
  readonly rotation?: string;
  /** Objects that must not exist when lost data is generated. */
  readonly usedBy?: readonly ReadTarget[];
}

/** A decision without the names of the child. */
export type DecisionBody<D extends Decision = Decision> = D extends Decision
  ? Omit<D, keyof About>
  : never;

/** Returns the fields that every decision about a child has. */
export const aboutOf = ({ resource }: Pick<World, 'resource'>, child: ChildName): Named => ({
  type: child.type,
  child: refOf(child),
  namespace: namespaceOf(resource, child),
});

/** Returns another decision about the same child. */
export const insteadOf = ({ type, child, namespace }: Decision, body: DecisionBody): Decision =>
  ({ type, child, namespace, ...body }) as Decision;

/** Returns the write that waits until another child is up to date, if the decision postpones one. */
export const postponedIn = (decision: Decision): Postponed | undefined =>
  'postponed' in decision ? decision.postponed : undefined;

/** A decision that changes the child. */
export type WriteDecision = Exclude<Decision, NoWriteDecision>;

export const isWriteDecision = (decision: Decision): decision is WriteDecision =>
  !['none', 'ask', 'wait', 'hold', 'defer', 'block', 'fail'].includes(decision.verb);

export const versionOf = ({ uid, resourceVersion }: ObjectVersion): ObjectVersion => ({
  uid,
  resourceVersion,
});
