import { canonicalJson } from '../canonical.ts';
import { ownedType } from '../kinds/kind.ts';
import { type Json, type ObjectRef, titleOf } from '../kubernetes.ts';
import type { Consolidate, Decision, Update } from '../plan/decision.ts';
import { drift } from '../plan/drift.ts';
import { isExposing, textsOf } from '../plan/exposing-child.ts';
import type { ObservedChild, ObservedResource } from '../plan/observed.ts';
import { expectedOutcome } from '../plan/outcome.ts';
import { isOwn } from '../plan/ownership.ts';
import { keyOf } from '../plan/world.ts';
import { nameInText } from '../printable.ts';
import { record } from './perform.ts';
import { readAgain, readChild, readResource } from './read.ts';
import type { Run } from './run.ts';
import type { StaleError } from './stale.ts';
import { maxAgeMs, type ReconcileState } from './state.ts';

/** Conflicts in a row, 10 ms apart, after which a child, or the resource itself, is given up. */
export const maxConflicts = 5;

/**
 * Whether the world is as it is read now, or the resource is gone; or another run was met, and nothing
 * else was read.
 */
export type Refreshed = 'read' | 'gone' | 'met';

/**
 * Reads what has turned out to be stale.
 *
 * Flow: reads the child, then the resource; what it refers to is read when it is planned. Neither is read
 * if our own entry of the child is unchanged: then no run has written the child for anything newer.
 * Where another run has written the child, all children are read; or none, if the caller leaves the
 * resource to that run for now and this one has written nothing for it.
 * Guarantees: no child is newer than the specification, and what it refers to, that it is compared
 * with. A write whose answer was lost is recorded if the child shows it.
 */
export async function refresh(
  run: Run,
  state: ReconcileState,
  { decision, lostAnswer, refusal }: StaleError,
  mayLeave = false,
): Promise<Refreshed> {
  const { world } = state;
  const freshUntil = run.now().getTime() + maxAgeMs;
  if (decision === undefined) return refreshAll(run, state);
  // Objects that were absent may exist by now.
  world.absent.clear();
  world.unread.clear();
  const key = keyOf(decision.child);
  const before = world.children.get(key);
  const reads = [...world.reads];
  const live = await readChild(run, world, { ...decision.child, type: decision.type });
  const after = world.children.get(key);
  if (live !== undefined && refusal !== undefined)
    world.refused.set(key, { failure: refusal, live });
  if (lostAnswer && after !== undefined && isDone(decision, world.resource, after))
    recordLost(state, decision, after);
  if (isSameApplied(before, after)) {
    for (const [reference, found] of reads) world.reads.set(reference, found);
    return 'read';
  }
  const isOthers = after?.ours !== undefined && isOwn(world.resource, after) && !lostAnswer;
  const isFirst = isOthers && !state.contended;
  state.contended ||= isOthers;
  // It has probably written the other children, too: they would be further conflicts, and make the status an old one.
  if (isFirst) return mayLeave && !state.wrote ? 'met' : refreshAll(run, state);
  const resource = await readResource(run, world);
  if (resource === undefined) return 'gone';
  state.freshUntil = freshUntil;
  noteEdit(state, resource);
  world.resource = resource;
  return 'read';
}

async function refreshAll(run: Run, state: ReconcileState): Promise<Refreshed> {
  const freshUntil = run.now().getTime() + maxAgeMs;
  const fresh = await readAgain(run, state.world);
  if (fresh === undefined) return 'gone';
  noteEdit(state, fresh.resource);
  state.world = fresh;
  state.freshUntil = freshUntil;
  return 'read';
}

/** What this run wrote for the older specification may have to go, even if another run has acted on the newer one. */
function noteEdit(state: ReconcileState, { generation }: ObservedResource): void {
  state.expectsDeletions ||= generation !== state.world.resource.generation;
}

/** Records a write whose answer was lost, and which the child shows. */
function recordLost(
  state: ReconcileState,
  decision: Decision,
  { uid, resourceVersion }: ObservedChild,
): void {
  state.wrote = true;
  record(state, { ...expectedOutcome(decision), version: `${uid}/${resourceVersion}` });
}

/** Whether a child, read after the answer to its write was lost, shows that the write was carried out. */
function isDone(decision: Decision, resource: ObservedResource, observed: ObservedChild): boolean {
  if (observed.unreadable !== undefined || !isOwn(resource, observed)) return false;
  switch (decision.verb) {
    case 'create':
      return drift(decision.fields, observed).length === 0;
    case 'update':
      return isSame(observed, decision) && drift(decision.fields, observed).length === 0;
    case 'withdraw':
      return isAt(decision.type.exposure?.valueOf(observed.facts), decision.difference.to);
    case 'consolidate':
      return isSame(observed, decision) && !observed.legacy;
    default:
      return false;
  }
}

/** Whether it is the object that the decision was made for; after an earlier write of the run, it is. */
const isSame = ({ uid }: ObservedChild, { lock }: Update | Consolidate): boolean =>
  lock === 'previous' || lock.uid === uid;

const isAt = (live: Json | undefined, wanted: Json): boolean =>
  canonicalJson(live ?? []) === canonicalJson(wanted);

/** Whether it is the same object without a later apply of ours; other managers' fields may differ. */
const isSameApplied = (a: ObservedChild | undefined, b: ObservedChild | undefined): boolean =>
  a?.ours !== undefined &&
  a.uid === b?.uid &&
  a.controller?.uid === b.controller?.uid &&
  a.ours.values === b.ours?.values &&
  a.ours.shape === b.ours.shape;

/**
 * Counts a conflict over a child, or over a sibling that a write relies on. After `maxConflicts` in a
 * row the child is given up for this run. `seen` are further paths that it was observed with.
 */
export function countConflict(
  { conflicts, paths, world }: ReconcileState,
  child: ObjectRef,
  seen: readonly string[] = [],
): void {
  const key = keyOf(child);
  const live = world.children.get(key);
  const known = paths.get(key) ?? new Set();
  for (const path of [...seen, ...(live === undefined ? [] : textsOf(live))]) known.add(path);
  paths.set(key, known);
  const count = (conflicts.get(key) ?? 0) + 1;
  conflicts.set(key, count);
  if (count < maxConflicts) return;
  world.givenUp.set(key, {
    reason: 'Conflict',
    message: `${titleOf(child)} was changed${byLast(live)} before it could be written, ${count} times in a row; will be tried again in the next run`,
    transient: true,
  });
  if (isExposing(ownedType(world.kind, child))) world.possiblePaths.set(key, known);
}

/** The managers with the newest entries, except of the status, which is not observed. */
function byLast(child: ObservedChild | undefined): string {
  const others = child?.others ?? [];
  const last = others
    .flatMap(({ time }) => time ?? [])
    .toSorted()
    .at(-1);
  const names = new Set(
    others.filter(({ time }) => time === last).map(({ manager }) => nameInText(manager)),
  );
  return last === undefined ? ' by others' : ` by ${[...names].join(', ')}`;
}
