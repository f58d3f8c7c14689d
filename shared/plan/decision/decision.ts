import type { Child } from '../../kinds/child.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import type { Generator } from '../../kinds/references/generated-data.ts';
import type { Json, JsonObject, ObjectRef, ObjectVersion } from '../../kubernetes.ts';
import type { Fight } from '../drift/contest.ts';
import type { Difference } from '../drift/differences.ts';
import type { Applied } from '../observed/applied.ts';
import type { ObservedChild } from '../observed/observed.ts';
import type { FailedRequest, ReadTarget } from '../observed/world.ts';

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
  readonly handOver?: JsonObject;
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

/** The fields of a write, and how it is made. */
export interface Fields extends Generator {
  readonly fields: JsonObject;
  /** All fields of a creation, which are applied first, and those among them that are then left to others. */
  readonly initially?: { readonly whole: JsonObject; readonly left: JsonObject };
  /** True for a second repair within 30 s, made because the child may admit requests; no further Event. */
  readonly repeated?: true;
  /** Keys of Secret data to be generated when this is performed, under a separate manager. */
  readonly generates?: readonly string[];
  /** The annotation of the generated data: see `rotationText`. */
  readonly rotation?: string;
  /** Objects that must not exist when data is generated. */
  readonly usedBy?: readonly ReadTarget[];
}

/** A decision without the child that it is about. */
export type DecisionBody<D extends Decision = Decision> = D extends Decision
  ? Omit<D, keyof About>
  : never;

/** A decision that changes the child. */
export type WriteDecision = Exclude<Decision, NoWriteDecision>;

export const isWriteDecision = (decision: Decision): decision is WriteDecision =>
  !['none', 'ask', 'wait', 'hold', 'defer', 'block', 'fail'].includes(decision.verb);

export const versionOf = ({ uid, resourceVersion }: ObjectVersion): ObjectVersion => ({
  uid,
  resourceVersion,
});
