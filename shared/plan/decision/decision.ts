import type { Child, ChildName } from '../../kinds/child.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import type { Generator } from '../../kinds/references/generated-data.ts';
import type { Json, JsonObject, ObjectRef, ObjectVersion } from '../../kubernetes.ts';
import type { Difference } from '../drift/differences.ts';
import type { Kept } from '../drift/kept-values.ts';
import type { Applied } from '../observed/applied.ts';
import type { ObservedChild } from '../observed/observed.ts';
import {
  type Asked,
  type FailedRequest,
  namespaceOf,
  type ReadTarget,
  refOf,
  type Why,
  type World,
} from '../observed/world.ts';

export type Decision =
  | Create
  | Update
  | Consolidate
  | Withdraw
  | Release
  | Delete
  | NoWriteDecision;

interface About {
  readonly type: ChildType;
  readonly child: ObjectRef;
  readonly namespace: string;
  /** Children that must be up to date first. */
  readonly needs?: readonly ObjectRef[];
  /** True if the desired child changes because a time has been reached (`dueToTimeIn`). */
  readonly dueToTime?: true;
}

export interface Create extends About, Fields {
  readonly verb: 'create';
  /** True for a child in `status.children`, except a completed step. Such a create is a repair or due to an edit. */
  readonly existed: boolean;
}

export interface Update extends About, Fields, Locked, Partial<Why> {
  readonly verb: 'update';
  /** Changes that the apply makes, as far as a dry run or the plan shows them; undefined if neither does. */
  readonly differences: readonly Difference[] | undefined;
  readonly untangles?: Asked['untangles'];
  readonly recreates?: true;
  /** Set if the update only restores the fields last applied, while the write of new fields waits. */
  readonly postponed?: Postponed;
}

/** Removes fields from legacy Update entries in managedFields if our Apply entry also has them. */
export interface Consolidate extends About, Locked {
  readonly verb: 'consolidate';
}

/** Removes paths, by a patch, from a child that is unwanted or being deleted, or paths that other writers set. */
interface Withdraw extends About, Locked {
  readonly verb: 'withdraw';
  readonly difference: Difference & { readonly to: Json };
  /** As in `Fields`. */
  readonly repeated?: true;
}

/** Removes the owner reference to the resource, so that the child is not deleted with the resource. */
interface Release extends About, Locked {
  readonly verb: 'release';
}

/**
 * Deletes a child. The deletion has a reason if the child's target is foreign. For a child that exposes paths, it also
 * has one if the child is blocked or a sibling's target is foreign.
 */
export interface Delete extends About, Locked, Partial<Why> {
  readonly verb: 'delete';
  /** Set for a complete Job. `PRUNE_LIMIT` does not withhold its deletion, because only logs are lost. */
  readonly complete?: true;
  /** The record of a complete child, marked as `past`, to be stored in the status. */
  readonly record?: Applied;
}

/**
 * A decision to write nothing. Children that need this child wait, unless this child counts as up to date.
 *
 * - `none`: the child is up to date.
 * - `ask`: only a dry run can tell whether the child is up to date. A plan with such a decision is incomplete.
 * - `hold`: counts as up to date while its change waits in a rollout, or because its resource is only observed (`drift`
 *   is the omitted write).
 * - `wait`: waits for another child, or for the end of a deletion or of a transient obstacle (`Child.blocked`). The
 *   resource is Reconciling.
 * - `defer`: another writer keeps undoing the write, which is left to the next resync. The resource is Reconciling.
 * - `block`: waits until someone changes the spec, the kind or an object in the cluster. The resource is Stalled.
 * - `fail`: the child could not be read or written. The resource is Stalled, or Reconciling if `transient`.
 */
type NoWriteDecision = About &
  (
    | {
        readonly verb: 'none';
        /** The child's new record; absent if the stored record stays. */
        readonly record?: Applied;
        /** Set for a completed child that no longer exists and is not created again (`completionOf`). */
        readonly completion?: string;
      }
    | ({ readonly verb: 'ask' } & Question)
    | ({ readonly verb: 'wait'; readonly postponed?: Postponed } & Why)
    | ({ readonly verb: 'hold' | 'block'; readonly drift?: WriteDecision } & Why)
    | ({ readonly verb: 'defer' } & Why)
    | ({ readonly verb: 'fail' } & FailedRequest)
  );

/** A dry run to make. It shows what an apply of these fields would change in the child. */
export interface Question extends About {
  readonly fields: JsonObject;
  readonly kept?: Kept;
  readonly lock: ObjectVersion;
  /** Set if the dry run only checks a child whose record shows no drift. */
  readonly onlyChecks?: true;
}

/** A write that waits in a rollout, or until another child (`until`) is up to date. */
export interface Postponed {
  readonly write: WriteDecision;
  readonly until?: ObjectRef;
}

export interface Decided {
  readonly child: Child;
  readonly observed: ObservedChild | undefined;
  readonly foreign: boolean;
  readonly decision: Decision;
}

interface Locked {
  /** `previous`: the version that the preceding write of the child returned. */
  readonly lock: ObjectVersion | 'previous';
}

export interface Fields extends Generator {
  /** The desired fields, without `initial` fields. */
  readonly fields: JsonObject;
  /** Replaces `fields` in the apply. */
  readonly kept?: Kept;
  /**
   * Set if a contested repair is made at once, because waiting for the next resync might let the cluster admit
   * requests wrongly. Such a repair posts no Event.
   */
  readonly repeated?: true;
  /** Keys of Secret data to generate with this write, under a separate field manager. */
  readonly generates?: readonly string[];
  readonly rotation?: string;
  /** Objects that must not exist when data is generated. */
  readonly usedBy?: readonly ReadTarget[];
}

export type DecisionBody<D extends Decision = Decision> = D extends Decision
  ? Omit<D, keyof About>
  : never;

export const fieldsToApply = ({ fields, kept }: Pick<Fields, 'fields' | 'kept'>): JsonObject =>
  kept?.fields ?? fields;

export const aboutOf = (world: Pick<World, 'resource' | 'dueToTime'>, child: ChildName): About => ({
  type: child.type,
  child: refOf(child),
  namespace: namespaceOf(world.resource, child),
  ...(world.dueToTime?.(refOf(child)) && { dueToTime: true }),
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
