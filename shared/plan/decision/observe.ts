import { titleOf } from '../../kubernetes.ts';
import { type Decision, insteadOf, isWriteDecision, postponedIn } from './decision.ts';
import { isOfCompleted } from './reasons.ts';

/**
 * Turns a write for a resource that is only observed into a report of drift.
 *
 * Guarantees: returns no write, and leaves every other decision as it is. A missing child blocks, because the
 * resource cannot be Ready without it.
 */
export function withoutWrite(decision: Decision): Decision {
  const drift = postponedIn(decision)?.write ?? decision;
  if (!isWriteDecision(drift)) return decision;
  if (drift.verb === 'consolidate' || isOfCompleted(drift))
    return insteadOf(decision, { verb: 'none' });
  const isMissing = drift.verb === 'create';
  const message = `${titleOf(drift.child)} ${isMissing ? 'does not exist' : 'differs'}, and its resource is only observed`;
  return isMissing
    ? insteadOf(decision, { verb: 'block', reason: 'ChildMissing', message, drift })
    : insteadOf(decision, { verb: 'hold', reason: 'ObservedOnly', message, drift });
}
