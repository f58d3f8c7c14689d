import { isSameJson } from '../canonical.ts';
import { isConflict, isTransient, isUnanswered, lostResponse } from '../cluster/cluster-errors.ts';
import { generatedManager } from '../identity.ts';
import { present } from '../json.ts';
import { ingressExposure } from '../kinds/child-types/ingress.ts';
import { keyOf, type ObjectRef } from '../kubernetes.ts';
import type { Consolidate, Update, WriteDecision } from '../plan/decision/decision.ts';
import { originOf } from '../plan/decision/origin.ts';
import { addOutcome, expectedOutcome } from '../plan/decision/outcome.ts';
import { requestsOf } from '../plan/decision/requests.ts';
import { differencesBetween } from '../plan/drift/differences.ts';
import type { ObservedChild } from '../plan/observed/observed.ts';
import { isOwn, type World } from '../plan/observed/world.ts';
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
  const refused = turn.refused.get(key);
  if (refused !== undefined && refused.write === jsonOf(decision))
    return turn.record(refused.outcome);
  const sender = new DecisionSender(turn, decision);
  // Computes the origin before the writes change the world.
  const origin = originOf(decision, turn.world);
  const before = turn.world.children.get(key);
  try {
    for (const request of requestsOf(decision, turn.world.identity)) {
      const outcome = await sender.send(request);
      if (outcome?.result === 'unchanged') recordLost(turn, child);
      // Reports this write even if the next request fails.
      if (outcome !== undefined) turn.record({ ...outcome, ...present({ origin }) });
    }
    turn.lost.delete(key);
  } catch (error) {
    if (error instanceof StaleError) throw error;
    const mayBeDone = isTransient(error) || lostResponse(error);
    turn.wrote ||= mayBeDone;
    turn.unanswered ||= isUnanswered(error);
    if (mayBeDone) turn.lost.set(key, { decision, origin, before });
    if (isConflict(error)) {
      // Reports the patch now, because the next plan omits it. Avoids `turn.record`, which resets `conflicts`.
      const patched = { ...expectedOutcome(decision), ...present({ origin }) };
      if (sender.isHalfDone) addOutcome(turn.outcomes, patched);
      throw staleWrite(decision);
    }
    const sent = 'fields' in decision ? decision : undefined;
    const failure = await explain(turn.run, decision.type, error, sent);
    const outcome = { child, result: 'failed' as const, ...failure, ...present({ origin }) };
    turn.record(outcome);
    if (failure.transient !== true) turn.refused.set(key, { write: jsonOf(decision), outcome });
  }
}

const jsonOf = (decision: WriteDecision): string =>
  JSON.stringify({ ...decision, type: undefined });

/** Records a failed write as done if the child, as read after the write, shows that it was carried out. */
export function recordLost(turn: Turn, child: ObjectRef): void {
  const key = keyOf(child);
  const lost = turn.lost.get(key);
  const observed = turn.world.children.get(key);
  turn.lost.delete(key);
  if (lost === undefined || observed === undefined) return;
  const { decision, origin, before } = lost;
  if (!fits(decision, turn.world, observed)) return;
  const differences =
    decision.verb === 'update' && before ? differencesBetween(before, observed) : undefined;
  const version = `${observed.uid}/${observed.resourceVersion}`;
  turn.wrote = true;
  turn.record({ ...expectedOutcome(decision), version, ...present({ origin, differences }) });
}

function fits(
  decision: WriteDecision,
  { identity, resource }: World,
  observed: ObservedChild,
): boolean {
  if (observed.unreadable !== undefined || !isOwn(resource, observed)) return false;
  switch (decision.verb) {
    case 'create':
      return observed.ours !== undefined || hasEntryOf(generatedManager(identity), observed);
    case 'update':
      return decision.recreates === true || isSame(observed, decision);
    case 'withdraw':
      return isSameJson(ingressExposure.valueOf(observed.facts) ?? [], decision.difference.to);
    case 'consolidate':
      return isSame(observed, decision) && !observed.legacy;
    case 'release':
    case 'delete':
      return false;
  }
}

const hasEntryOf = (name: string, { others }: ObservedChild): boolean =>
  others.some(({ manager }) => manager === name);

/** A write with the lock `previous` follows a write of this run, so the object is the same. */
const isSame = ({ uid }: ObservedChild, { lock }: Update | Consolidate): boolean =>
  lock === 'previous' || lock.uid === uid;
