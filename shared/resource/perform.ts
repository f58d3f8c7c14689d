import { canonicalJson } from '../canonical.ts';
import {
  isConflict,
  isTransient,
  isUnanswered,
  lostAnswer,
  UnreachableError,
} from '../cluster/cluster-errors.ts';
import { present } from '../json.ts';
import { type Json, keyOf, type ObjectRef, titleOf } from '../kubernetes.ts';
import {
  type Consolidate,
  type Decision,
  isWriteDecision,
  type Update,
  type WriteDecision,
} from '../plan/decision/decision.ts';
import { originOf } from '../plan/decision/origin.ts';
import { addOutcome, expectedOutcome, isWrite, type Outcome } from '../plan/decision/outcome.ts';
import { immutableReason } from '../plan/decision/reasons.ts';
import { stepsOf } from '../plan/decision/steps.ts';
import { differencesBetween } from '../plan/drift/differences.ts';
import type { ObservedChild, ObservedResource } from '../plan/observed/observed.ts';
import { isOwn } from '../plan/observed/ownership.ts';
import type { Asked } from '../plan/observed/world.ts';
import { explain } from '../run/explain.ts';
import type { Run } from '../run/run.ts';
import type { ReconcileState } from '../run/state.ts';
import { compareByDryRun } from './asking/compare-by-dry-run.ts';
import { isRefusal } from './asking/inquiry.ts';
import { StaleError } from './stale.ts';
import { StepSender } from './step-sender.ts';

/**
 * Sends the steps of one decision and records the outcome.
 *
 * Guarantees: throws a StaleError if anything that the decision relies on has changed. With `replans`, also
 * throws one if the server refuses an update because of an immutable field, or because of other managers'
 * fields that a patch can remove. Any other failure is an outcome. The time limit of `writing` is only for
 * the writes, because resolving a refusal may take many dry runs.
 */
export async function perform(
  run: Run,
  state: ReconcileState,
  decision: Decision,
  { replans, writing = run }: { readonly replans: boolean; readonly writing?: Run },
): Promise<void> {
  if (!isWriteDecision(decision)) return record(state, expectedOutcome(decision));
  const { child, verb } = decision;
  const what = `${verb} ${titleOf(child)}`;
  const refused = state.refused.get(keyOf(child));
  if (refused !== undefined && refused.write === textOf(decision))
    return record(state, refused.outcome);
  const sender = new StepSender(writing, state, decision);
  // Computes the origin first, because the writes change what it depends on.
  const origin = originOf(decision, state.world);
  const why = present({ origin });
  const before = state.world.children.get(keyOf(child));
  try {
    for (const step of stepsOf(decision, run.clients.identity)) {
      const outcome = await sender.send(step);
      // Records each write before the next step, which may fail, so that every completed write is reported.
      if (outcome?.result === 'unchanged') recordLost(state, child);
      if (outcome !== undefined) record(state, { ...outcome, ...why });
    }
    state.lost.delete(keyOf(child));
  } catch (error) {
    state.wrote ||= isTransient(error);
    if (verb === 'create' && isTransient(error))
      state.uncertain.add({ ...child, type: decision.type });
    state.unanswered ||= isUnanswered(error);
    const isLost = error instanceof UnreachableError || (verb === 'update' && lostAnswer(error));
    if (isLost && textOf(decision).length + textOf(before).length <= maxLostLength)
      state.lost.set(keyOf(child), { decision, origin, before });
    if (error instanceof StaleError) throw error;
    if (isConflict(error)) throw new StaleError(what, { decision, lostAnswer: lostAnswer(error) });
    const failure = await explain(run, decision.type, error);
    const asked = replans ? await askAgain(run, state, decision, error) : undefined;
    const isFixed = asked?.refusal?.reason === immutableReason;
    if (asked?.untangles !== undefined || isFixed) throw new StaleError(what, { decision });
    const outcome: Outcome = { child, result: 'failed', ...(asked?.refusal ?? failure), ...why };
    record(state, outcome);
    if (outcome.transient !== true)
      state.refused.set(keyOf(child), { write: textOf(decision), outcome });
  }
}

/**
 * Limit in characters of a write that is kept because its response was lost. Only few writes a second are cut
 * off, so this bounds the memory.
 */
const maxLostLength = 16_384;

/** Identifies a write by its content, so that a write that the server refused is not sent again. */
const textOf = (one: WriteDecision | ObservedChild | undefined): string =>
  JSON.stringify({ ...one, type: undefined });

/** Asks for a patch with which the server would accept the refused update. */
async function askAgain(
  run: Run,
  { world }: ReconcileState,
  decision: WriteDecision,
  error: unknown,
): Promise<Asked | undefined> {
  if (decision.verb !== 'update' || decision.recreates || decision.untangles !== undefined)
    return undefined;
  // Does not remove fields from an exposing object, because that could open a path.
  if (decision.type.exposure !== undefined) return undefined;
  if (!isRefusal(error) || decision.lock === 'previous') return undefined;
  const { child, type, fields, lock, handOver } = decision;
  const question = { ref: { ...child, type }, fields, version: lock, ...present({ handOver }) };
  return compareByDryRun(run, world, question, error);
}

/** Records a write whose response was lost, if the child shows that it was carried out. */
export function recordLost(state: ReconcileState, child: ObjectRef): void {
  const key = keyOf(child);
  const lost = state.lost.get(key);
  const observed = state.world.children.get(key);
  if (lost === undefined || observed === undefined) return;
  state.lost.delete(key);
  const { decision, origin, before } = lost;
  if (!isDone(decision, state.world.resource, observed)) return;
  const differences =
    decision.verb === 'update' && before ? differencesBetween(before, observed) : undefined;
  recordDone(state, decision, observed, present({ origin, differences }));
}

/** Records a write whose response was lost. */
export function recordDone(
  state: ReconcileState,
  decision: WriteDecision,
  { uid, resourceVersion }: ObservedChild,
  more: Pick<Outcome, 'origin' | 'differences'> = {},
): void {
  state.wrote = true;
  const version = `${uid}/${resourceVersion}`;
  record(state, { ...expectedOutcome(decision), version, ...more });
}

/**
 * Reports whether a child, read after a lost response, shows that the write was carried out. For an update,
 * the child must be as wanted.
 */
export function isDone(
  decision: Decision,
  resource: ObservedResource,
  observed: ObservedChild,
): decision is WriteDecision {
  if (observed.unreadable !== undefined || !isOwn(resource, observed)) return false;
  switch (decision.verb) {
    case 'create':
      return observed.ours !== undefined;
    case 'update':
      return decision.recreates === true || isSame(observed, decision);
    case 'withdraw':
      return isAt(decision.type.exposure?.valueOf(observed.facts), decision.difference.to);
    case 'consolidate':
      return isSame(observed, decision) && !observed.legacy;
    default:
      return false;
  }
}

/**
 * Reports whether the child is the same object that the decision was made for. A lock of `previous` follows a
 * write of this run, so it always is.
 */
const isSame = ({ uid }: ObservedChild, { lock }: Update | Consolidate): boolean =>
  lock === 'previous' || lock.uid === uid;

const isAt = (live: Json | undefined, wanted: Json): boolean =>
  canonicalJson(live ?? []) === canonicalJson(wanted);

export function record({ outcomes, conflicts, world }: ReconcileState, outcome: Outcome): void {
  if (isWrite(outcome)) conflicts.delete(keyOf(outcome.child));
  addOutcome(outcomes, outcome, world.resource);
}
