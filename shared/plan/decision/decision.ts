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
  readonly recreates?: true;
  /** Set if this only restores the last apply while the write of new fields waits. */
  readonly postponed?: Postponed;
}

/** Removes from legacy entries in managedFields the fields that our Apply entry names. */
export interface Consolidate extends About, Locked {
  readonly verb: 'consolidate';
}

/** Removes some paths from an unwanted or terminating exposing child. Later decisions remove the others. */
interface Withdraw extends About, Locked {
  readonly verb: 'withdraw';
  readonly difference: Difference & { readonly to: Json };
}

/** Has a reason if the child is still desired: its target is foreign, or its step is recorded as complete. */
export interface Delete extends About, Locked, Partial<Why> {
  readonly verb: 'delete';
  /** The record of a child that completed since the last run, to be stored in the status. */
  readonly record?: Applied;
}

/** `hold`: counts as up to date until its turn in a rollout. `drift`: the write that an observed resource omits. */
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

/** A dry run to make, which shows what an apply of these fields would change in the child. */
export interface Question extends Named {
  readonly fields: JsonObject;
  readonly lock: ObjectVersion;
  readonly handOver?: JsonObject | undefined;
  /** Set if the child can be decided without the dry run, which then only confirms its record. */
  readonly compares?: true;
}

/** A write that waits until another child (`until`) is up to date, or for its turn in a rollout. */
export interface Postponed {
  readonly write: WriteDecision;
  readonly until?: ObjectRef;
  /** For the record of a repair: see `Applied`. */
  readonly alike?: string;
}

export interface Decided {
  readonly child: Child;
  readonly observed: ObservedChild | undefined;
  readonly foreign: boolean;
  readonly decision: Decision;
}

interface Locked {
  /** `previous`: the version that the last write of the child in this run returned. */
  readonly lock: ObjectVersion | 'previous';
}

export interface Fields extends Generator {
  readonly fields: JsonObject;
  /** Applied before `fields`: `whole`, then the fields of `Child.initial` (`left`) by the handover manager. */
  readonly initially?: { readonly whole: JsonObject; readonly left: JsonObject };
  /** True for a second repair within 30 s, made because the child may admit requests. It posts no further Event. */
  readonly repeated?: true;
  /** Keys of Secret data to generate with this write, under a separate field manager. */
  readonly generates?: readonly string[];
  readonly rotation?: string;
  /** Objects that must not exist when lost data is generated. */
  readonly usedBy?: readonly ReadTarget[];
}

/** A decision without the names of the child. */
export type DecisionBody<D extends Decision = Decision> = D extends Decision
  ? Omit<D, keyof About>
  : never;

export const aboutOf = ({ resource }: Pick<World, 'resource'>, child: ChildName): Named => ({
  type: child.type,
  child: refOf(child),
  namespace: namespaceOf(resource, child),
});

export const insteadOf = ({ type, child, namespace }: Decision, body: DecisionBody): Decision =>
  ({ type, child, namespace, ...body }) as Decision;

export const postponedIn = (decision: Decision): Postponed | undefined =>
  'postponed' in decision ? decision.postponed : undefined;

export type WriteDecision = Exclude<Decision, NoWriteDecision>;

export const isWriteDecision = (decision: Decision): decision is WriteDecision =>
  !['none', 'ask', 'wait', 'hold', 'defer', 'block', 'fail'].includes(decision.verb);

export const versionOf = ({ uid, resourceVersion }: ObjectVersion): ObjectVersion => ({
  uid,
  resourceVersion,
});
