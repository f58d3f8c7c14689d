import {
  isConflict,
  isTransient,
  isUnanswered,
  lostAnswer,
  UnreachableError,
} from '../cluster/cluster-errors.ts';
import { keyOf, titleOf } from '../kubernetes.ts';
import { type Decision, isWriteDecision, type WriteDecision } from '../plan/decision/decision.ts';
import { originOf } from '../plan/decision/origin.ts';
import { addOutcome, expectedOutcome, isWrite, type Outcome } from '../plan/decision/outcome.ts';
import { stepsOf } from '../plan/decision/steps.ts';
import type { Asked } from '../plan/observed/world.ts';
import { explain } from '../run/explain.ts';
import type { Run } from '../run/run.ts';
import type { ReconcileState } from '../run/state.ts';
import { compareByDryRun, isRefusal } from './compare-by-dry-run.ts';
import { StaleError } from './stale.ts';
import { StepSender } from './step-sender.ts';

/**
 * Sends the steps of one decision and records the outcome.
 *
 * Guarantees: throws a StaleError if anything that was decided on has changed or, with `replans`, if the
 * server refuses an update as invalid and a patch would resolve that. Any other failure is an outcome. Only
 * the writes have the limits of `writing`: a refusal may take many questions to resolve.
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
  if (refused !== undefined && refused.write === writeOf(decision))
    return record(state, refused.outcome);
  const sender = new StepSender(writing, state, decision);
  // Computed first, because the writes change what it depends on.
  const origin = originOf(decision, state.world);
  const why = origin === undefined ? {} : { origin };
  try {
    for (const step of stepsOf(decision, run.clients.identity)) {
      const outcome = await sender.send(step);
      // Recorded before the next step, which may fail, so that a completed write is always reported.
      if (outcome !== undefined) record(state, { ...outcome, ...why });
    }
    state.lost.delete(keyOf(child));
  } catch (error) {
    state.wrote ||= isTransient(error);
    if (verb === 'create' && isTransient(error))
      state.uncertain.add({ ...child, type: decision.type });
    state.unanswered ||= isUnanswered(error);
    if (error instanceof UnreachableError && writeOf(decision).length <= maxLostLength)
      state.lost.set(keyOf(child), { decision, origin });
    if (error instanceof StaleError) throw error;
    if (isConflict(error)) throw new StaleError(what, { decision, lostAnswer: lostAnswer(error) });
    const failure = await explain(run, decision.type, error);
    const asked = replans ? await askAgain(run, state, decision, error) : undefined;
    if (asked?.untangles !== undefined) throw new StaleError(what, { decision });
    const outcome: Outcome = { child, result: 'failed', ...(asked?.refusal ?? failure), ...why };
    record(state, outcome);
    if (outcome.transient !== true)
      state.refused.set(keyOf(child), { write: writeOf(decision), outcome });
  }
}

/**
 * Limit of a write that is kept for a later pass, in characters. A run cuts off at most a few writes a second in each slot,
 * so this bounds the memory for all.
 */
const maxLostLength = 16_384;

/** Identifies what is sent, so that a later attempt does not send again what the server refuses. */
const writeOf = ({ type: _, ...decision }: WriteDecision): string => JSON.stringify(decision);

/** Asks for a patch that makes the server accept an update that it refuses because of other managers' fields. */
async function askAgain(
  run: Run,
  { world }: ReconcileState,
  decision: WriteDecision,
  error: unknown,
): Promise<Asked | undefined> {
  if (decision.verb !== 'update' || decision.untangles !== undefined) return undefined;
  // Removing fields from an exposing object could open a path.
  if (decision.type.exposure !== undefined) return undefined;
  if (!isRefusal(error) || decision.lock === 'previous') return undefined;
  const { child, type, fields, lock } = decision;
  return compareByDryRun(run, world, { ref: { ...child, type }, fields, version: lock }, error);
}

export function record({ outcomes, conflicts, world }: ReconcileState, outcome: Outcome): void {
  if (isWrite(outcome)) conflicts.delete(keyOf(outcome.child));
  addOutcome(outcomes, outcome, world.resource);
}
