import type { Child } from '../../kinds/child.ts';
import { mayHoldData } from '../../kinds/child-types/built-in-types.ts';
import { label } from '../../kinds/names.ts';
import { isClusterScoped, type ObjectRef, qualifiedName, titleOf } from '../../kubernetes.ts';
import { listed, nameInText, truncate } from '../../printable.ts';
import { undoneBy } from '../drift/last-applied.ts';
import { contestedReason } from '../observed/conditions.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { type FailedRequest, isAdoptable, type Why, type World } from '../observed/world.ts';
import {
  type Decision,
  type DecisionBody,
  insteadOf,
  isWriteDecision,
  postponedIn,
} from './decision.ts';

export const beingDeleted = (child: ObjectRef, then = '') => ({
  reason: lingering,
  message: `${titleOf(child)} is being deleted${then}`,
});

const lingering = 'ChildDeleting';

/** Reports whether the child is being deleted, perhaps by this run, and still exists. */
export const lingers = ({ reason }: { readonly reason?: string }): boolean => reason === lingering;

export const contested = (message: string) =>
  ({ verb: 'defer', reason: contestedReason, message }) as const;

export const exposurePending = (child: ObjectRef) => ({
  reason: 'ExposurePending',
  message: `${titleOf(child)} waits until another ${child.kind} has changed, so that no request is admitted without authorization`,
});

export const valueMissing = 'ValueMissing';

export const dependencyPending = 'DependencyPending';

/** If `keeps` is true, the child keeps other writers' changes while it waits. */
export const waitingFor = (decision: Decision, other: ObjectRef, keeps = false): Why => {
  const kept = keeps && decision.verb === 'update' ? decision : undefined;
  const set = undoneBy(kept?.fields, kept?.differences).flatMap(({ path, writer }) =>
    writer === undefined ? [] : [`${truncate(path, 200)} of ${nameInText(writer.manager)}`],
  );
  const until = set.length === 0 ? '' : ` and keeps ${listed(set)} until then`;
  const isLost = decision.verb === 'create' && decision.existed;
  const waits = isLost ? 'was deleted, and waits' : 'waits';
  const message = `${titleOf(decision.child)} ${waits} for ${titleOf(other)}${until}`;
  const isDisturbed = isLost || set.length > 0;
  return { reason: dependencyPending, message, waits: isDisturbed ? 'disturbed' : 'undisturbed' };
};

/** The kind reads an object that this run wrote, and has not seen the new version yet. */
export const toFollow = (written: ObjectRef): Why => ({
  reason: dependencyPending,
  message: `${titleOf(written)} was written; the children that depend on it follow`,
});

/** Keeps an undesired object that may contain other people's objects, such as a Namespace. */
export const retained = (child: ObjectRef) =>
  ({
    verb: 'block',
    reason: 'Retained',
    message: `${titleOf(child)} is no longer desired, but is kept, because its deletion would delete other objects, too: delete it by hand, or remove its owner reference if it should stay`,
  }) as const;

/** Blocks writes and pruning, because their effect is unknown. */
export const unreadable = (child: ObjectRef, why: string) =>
  ({
    verb: 'block',
    reason: 'UnreadableChild',
    message: `${titleOf(child)} cannot be read: ${why}`,
  }) as const;

export const blocked = ({ transient, ...why }: NonNullable<Child['blocked']>): DecisionBody => ({
  verb: transient === true ? 'wait' : 'block',
  ...why,
});

export const collisionReason = 'ErrResourceExists';

export function foreign(world: World, { namespace, name }: ObjectRef, observed: ObservedChild) {
  const { kind, resource } = world;
  const where = isClusterScoped(kind) ? '' : ` -n ${resource.namespace}`;
  const { [label.instance]: owner = resource.name } = observed.labelled;
  const other = owner === resource.name ? '' : `, labelled ${label.instance}=${nameInText(owner)}`;
  const remedy = isAdoptable(world, observed)
    ? `, labelled as a child of this ${kind.kind} but not owned by it, as after a restore; to take it over: reconciler adopt ${kind.kind} ${resource.name}${where}`
    : other;
  const message = `Resource "${qualifiedName(namespace, name)}" already exists and is not managed by ${kind.kind}; it is a ${observed.kind}${remedy}`;
  return { verb: 'block', reason: collisionReason, message } as const;
}

export const immutableReason = 'ImmutableFieldChanged';

export function immutableFields(
  { child, type }: Pick<Decision, 'child' | 'type'>,
  paths: readonly string[],
): FailedRequest {
  const first = mayHoldData(type) ? 'save its data, and ' : '';
  const message = `${titleOf(child)}: ${listed(paths)} ${paths.length === 1 ? 'differs' : 'differ'} and cannot be changed; ${first}delete the ${child.kind} to have it recreated`;
  return { reason: immutableReason, message, transient: false };
}

/**
 * Replaces a write, even if postponed, with a report of drift, because the resource is only observed. A write that
 * repairs nothing becomes `none`. A missing child blocks the resource, which cannot be Ready without it.
 */
export function withoutWrite(decision: Decision): Decision {
  const drift = postponedIn(decision)?.write ?? decision;
  if (!isWriteDecision(drift)) return decision;
  if (drift.verb === 'consolidate') return insteadOf(decision, { verb: 'none' });
  const isMissing = drift.verb === 'create';
  const state = isMissing ? 'does not exist' : 'differs from the desired state';
  const message = `${titleOf(drift.child)} ${state}; nothing is written, because its owner is only observed`;
  const reason = isMissing ? 'ChildMissing' : 'ObservedOnly';
  return insteadOf(decision, { verb: isMissing ? 'block' : 'hold', reason, message, drift });
}
