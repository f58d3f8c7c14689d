import type { ObjectRef } from '../kubernetes.ts';
import type { ConditionSummary } from './conditions.ts';
import type { ObservedChild } from './observed.ts';
import { type Outcome, summaryOf } from './outcome.ts';
import { isOwn } from './ownership.ts';
import { type Plan, unseen } from './plan.ts';
import { keyOf, type World } from './world.ts';

/** What a run found, as far as the status depends on it. */
export interface Finding {
  readonly summary: ConditionSummary;
  /** The resource's own live children that it wants, in its order. */
  readonly wanted: readonly ObservedChild[];
  /** Own live children that are still to be pruned, by name, since lists come in any order. */
  readonly leftovers: readonly ObservedChild[];
  /** Listed by the status and not read: it may exist without its labels, so it stays listed. */
  readonly unseen?: readonly ObjectRef[];
  /** The generation was acted on: no transient error blocks it, and nothing it no longer wants is left. */
  readonly acted: boolean;
}

/** Gone and to be created at the next tick, which has to know that they existed. */
const deferredCreations = (
  { resource, children, absent }: World,
  outcomes: readonly Outcome[],
): readonly ObjectRef[] =>
  (resource.status.children ?? []).filter(
    (ref) =>
      absent.has(keyOf(ref)) &&
      !children.has(keyOf(ref)) &&
      outcomes.some(({ child, reason }) => keyOf(child) === keyOf(ref) && reason === 'Contested'),
  );

/** The finding of a plan and its outcomes; undefined for a resource without one. */
export function findingOf(
  world: World,
  planned: Plan,
  outcomes: readonly Outcome[],
): Finding | undefined {
  if (planned.state === 'suspended' || planned.state === 'deleting') return undefined;
  const { resource, children } = world;
  const own = new Map([...children].filter(([, child]) => isOwn(resource, child)));
  const keys = planned.state === 'planned' ? planned.wanted : [];
  const wanted = keys.flatMap((key) => own.get(key) ?? []);
  for (const key of keys) own.delete(key);
  const leftovers = [...own.values()].toSorted(byKey);
  const notSeen = [...unseen(world), ...deferredCreations(world, outcomes)].toSorted(byKey);
  if (planned.state === 'invalid') {
    const summary: ConditionSummary = {
      state: 'Stalled',
      reason: 'InvalidSpec',
      message: planned.message,
    };
    return { summary, wanted, leftovers, unseen: notSeen, acted: true };
  }
  const summary = summaryOf(outcomes, wanted);
  // Deletions that are due count as asked for by the edit until they are done, whatever blocks them.
  const isLeft = leftovers.length > 0 || notSeen.some((ref) => !keys.includes(keyOf(ref)));
  // Waiting for a blocked child is not transient: the generation is acted on, and Stalled.
  const isOver = outcomes.every(
    ({ result, transient }) =>
      transient !== true && (result !== 'skipped' || summary.state === 'Stalled'),
  );
  return { summary, wanted, leftovers, unseen: notSeen, acted: isOver && !isLeft };
}

const byKey = (a: ObjectRef, b: ObjectRef): number => (keyOf(a) < keyOf(b) ? -1 : 1);
