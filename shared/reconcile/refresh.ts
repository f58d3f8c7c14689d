import { lostAnswer } from '../cluster/errors.ts';
import { ingress } from '../kinds/child-types.ts';
import type { ObjectRef } from '../kubernetes.ts';
import { doorPaths } from '../plan/exposures.ts';
import type { ObservedChild } from '../plan/observed.ts';
import { keyOf } from '../plan/world.ts';
import { maxAgeMs } from './confirm.ts';
import { isDone } from './lost-answer.ts';
import { recordLost } from './perform.ts';
import type { Performance } from './performance.ts';
import type { Failure } from './refusal.ts';
import type { Run } from './run.ts';
import { StaleError } from './stale.ts';
import { lookAgain, lookAtChild, lookAtResource } from './view.ts';

/** Conflicts in a row, 10 ms apart, after which one child, or the resource itself, is given up. */
export const maxConflicts = 5;

/**
 * Reads what has turned out stale; false once the resource is gone.
 *
 * Flow: the child; then the resource, unless the child still is what we last applied: then no run
 * has written it for a newer specification, and the plan's is recent enough.
 * Guarantees: no child is newer than the specification it is compared with; a write whose answer was lost
 * is recorded where the child shows it.
 */
export async function refresh(
  run: Run,
  performance: Performance,
  stale: unknown,
): Promise<boolean> {
  const { view } = performance;
  const freshUntil = run.now().getTime() + maxAgeMs;
  const decision = stale instanceof StaleError ? stale.decision : undefined;
  if (decision === undefined) {
    const fresh = await lookAgain(run, view);
    if (fresh === undefined) return false;
    Object.assign(performance, { view: fresh, freshUntil });
    return true;
  }
  // What was absent by name before may exist by now.
  view.absent.clear();
  view.unread.clear();
  const key = keyOf(decision.child);
  const before = view.children.get(key);
  const live = await lookAtChild(run, view, { ...decision.child, type: decision.type });
  const after = view.children.get(key);
  if (live !== undefined && lostAnswer(stale) && isDone(decision, view.resource, after))
    recordLost(performance, decision, live);
  if (isSameApplied(before, after)) return true;
  const resource = await lookAtResource(run, view);
  if (resource === undefined) return false;
  Object.assign(performance, { view: { ...view, resource }, freshUntil });
  return true;
}

/** The same object, and no later apply of ours; what others hold of it may differ. */
const isSameApplied = (a: ObservedChild | undefined, b: ObservedChild | undefined): boolean =>
  a?.ours !== undefined &&
  a.uid === b?.uid &&
  a.controller?.uid === b.controller?.uid &&
  a.ours.values === b.ours?.values &&
  a.ours.shape === b.ours.shape;

/**
 * Counts a conflict over a child, or over an Ingress that changed beside another; after one too
 * many, the child is given up for this run, with the paths it was `seen` with.
 */
export function countConflict(
  { conflicts, givenUp, unsteady, paths, view }: Performance,
  child: ObjectRef,
  seen: readonly string[] = [],
): void {
  const key = keyOf(child);
  const live = view.children.get(key);
  const known = paths.get(key) ?? new Set();
  for (const path of [...seen, ...(live === undefined ? [] : doorPaths(live))]) known.add(path);
  paths.set(key, known);
  const count = (conflicts.get(key) ?? 0) + 1;
  conflicts.set(key, count);
  if (count < maxConflicts) return;
  const { kind, name } = child;
  const failure: Failure = {
    reason: 'Conflict',
    message: `${kind} ${name} was changed${byLast(live)} before it could be written, ${count} times in a row; tried again at the next run`,
    transient: true,
  };
  givenUp.set(key, failure);
  if (kind === ingress.kind) unsteady.set(key, { ...failure, paths: known });
}

/** Whose field entries are the newest, as far as managedFields say; a status has no entry here. */
function byLast(child: ObservedChild | undefined): string {
  const others = child?.others ?? [];
  const last = others
    .flatMap(({ time }) => time ?? [])
    .toSorted()
    .at(-1);
  const names = new Set(others.filter(({ time }) => time === last).map(({ manager }) => manager));
  return last === undefined ? ' by others' : ` by ${[...names].join(', ')}`;
}
