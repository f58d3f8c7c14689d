import { isConflict, isInvalid, isTransient, lostAnswer } from '../cluster/cluster-errors.ts';
import { titleOf } from '../kubernetes.ts';
import { type Decision, isWriteDecision } from '../plan/decision/decision.ts';
import { originOf } from '../plan/decision/origin.ts';
import { addOutcome, expectedOutcome, isWrite, type Outcome } from '../plan/decision/outcome.ts';
import { stepsOf } from '../plan/decision/steps.ts';
import { keyOf } from '../plan/observed/world.ts';
import { explain } from '../run/refusal.ts';
import type { Run } from '../run/run.ts';
import type { ReconcileState } from '../run/state.ts';
import { StepSender } from './sender.ts';
import { StaleError } from './stale.ts';

/**
 * Sends the steps of one decision and records the outcome.
 *
 * Guarantees: throws a StaleError if anything that was decided on has changed or, with `replans`, if the
 * server refuses an update as invalid for a reason that the plan did not know. Any other failure is an
 * outcome.
 */
export async function perform(
  run: Run,
  state: ReconcileState,
  decision: Decision,
  { replans }: { readonly replans: boolean },
): Promise<void> {
  if (!isWriteDecision(decision)) return record(state, expectedOutcome(decision));
  const { child, verb } = decision;
  const what = `${verb} ${titleOf(child)}`;
  const sender = new StepSender(run, state, decision);
  // Computed first, because the writes change what it depends on.
  const origin = originOf(decision, state.world);
  const why = origin === undefined ? {} : { origin };
  try {
    for (const step of stepsOf(decision, run.clients.identity)) {
      const outcome = await sender.send(step);
      // Recorded before the next step, which may fail, so that a completed write is always reported.
      if (outcome !== undefined) record(state, { ...outcome, ...why });
    }
  } catch (error) {
    state.wrote ||= isTransient(error);
    if (error instanceof StaleError) throw error;
    if (isConflict(error)) throw new StaleError(what, { decision, lostAnswer: lostAnswer(error) });
    const failure = await explain(run, decision.type, error);
    const isNew = decision.verb === 'update' && !decision.removesIncompatible && isInvalid(error);
    if (replans && isNew) throw new StaleError(what, { decision, refusal: failure });
    record(state, { child, result: 'failed', ...failure, ...why });
  }
}

export function record({ outcomes, conflicts, world }: ReconcileState, outcome: Outcome): void {
  if (isWrite(outcome)) conflicts.delete(keyOf(outcome.child));
  addOutcome(outcomes, outcome, world.resource);
}
