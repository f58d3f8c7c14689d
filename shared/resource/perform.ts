import { isConflict, isTransient, isUnanswered, lostResponse } from '../cluster/cluster-errors.ts';
import { present, weightOf } from '../json.ts';
import { keyOf, type ObjectRef } from '../kubernetes.ts';
import type { WriteDecision } from '../plan/decision/decision.ts';
import { originOf } from '../plan/decision/origin.ts';
import { addOutcome, expectedOutcome, type Outcome } from '../plan/decision/outcome.ts';
import { requestsOf } from '../plan/decision/requests.ts';
import { isOwn } from '../plan/observed/world.ts';
import { explain } from '../run/explain.ts';
import { DecisionSender } from './decision-sender.ts';
import { StaleError, staleWrite, type Turn } from './turn.ts';

/**
 * Sends the requests of one decision and records the outcome.
 *
 * Guarantees: throws a StaleError if anything that the decision relies on has changed. Any other failure is an outcome.
 * A write that the server refused for good is not sent again in this turn.
 */
export async function perform(turn: Turn, decision: WriteDecision): Promise<void> {
  const { child } = decision;
  const key = keyOf(child);
  // An update shows that an earlier create, whose response was lost, was carried out.
  if (decision.verb === 'update' && turn.lost.get(key)?.result === 'created')
    recordLost(turn, child);
  const sender = new DecisionSender(turn, decision);
  // Computes the origin before the writes change the world.
  const origin = present({ origin: originOf(decision, turn.world) });
  try {
    for (const request of requestsOf(decision, turn.world.identity)) await sender.send(request);
    if (sender.outcome === undefined) recordLost(turn, child);
    turn.record({ ...(sender.outcome ?? { child, result: 'unchanged' }), ...origin });
    turn.lost.delete(key);
  } catch (error) {
    // Reports the writes before the failure. Avoids `turn.record`, which resets `conflicts`.
    if (sender.outcome !== undefined) addOutcome(turn.outcomes, { ...sender.outcome, ...origin });
    if (error instanceof StaleError) throw error;
    const mayBeDone = isTransient(error) || lostResponse(error);
    const expected = { ...expectedOutcome(decision), ...origin };
    turn.wrote ||= mayBeDone;
    turn.unanswered ||= isUnanswered(error);
    if (mayBeDone && expected.result !== 'deleted') turn.lost.set(key, bounded(expected));
    if (isConflict(error)) throw staleWrite(decision);
    const sent = 'fields' in decision ? decision : undefined;
    const failure = await explain(turn.run, decision.type, error, sent);
    turn.record({ child, result: 'failed', ...failure, ...origin });
    if (!failure.transient) turn.world.givenUp.set(key, failure);
  }
}

const maxLostBytes = 65_536;

/** Drops differences that are too large to keep for a later pass: another writer may have set a value of any size. */
const bounded = ({ differences, ...outcome }: Outcome): Outcome =>
  weightOf(differences, maxLostBytes) > maxLostBytes ? outcome : { ...outcome, differences };

/** Records that a write without a response succeeded, if the child is ours. Call it when the child shows the write. */
export function recordLost(turn: Turn, child: ObjectRef): void {
  const key = keyOf(child);
  const lost = turn.lost.get(key);
  const observed = turn.world.children.get(key);
  turn.lost.delete(key);
  if (lost === undefined || !observed || !isOwn(turn.world.resource, observed)) return;
  turn.wrote = true;
  turn.record({ ...lost, version: `${observed.uid}/${observed.resourceVersion}` });
}
