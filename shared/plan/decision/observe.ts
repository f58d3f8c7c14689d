import { titleOf } from '../../kubernetes.ts';
import { type Decision, isWriteDecision } from './decision.ts';

/**
 * Turns a write for a resource that is only observed into a report of drift.
 *
 * Guarantees: returns no write, and leaves every other decision as it is. A missing child blocks, because the
 * resource cannot be Ready without it.
 */
export function withoutWrite(decision: Decision): Decision {
  const drift =
    decision.verb === 'wait' && decision.postponed !== undefined
      ? decision.postponed.write
      : decision;
  if (!isWriteDecision(drift)) return decision;
  const { type, child, namespace } = drift;
  const about = { type, child, namespace };
  if (drift.verb === 'consolidate') return { ...about, verb: 'none' };
  const isMissing = drift.verb === 'create';
  const message = `${titleOf(child)} ${isMissing ? 'does not exist' : 'differs'}, and its resource is only observed`;
  return isMissing
    ? { ...about, verb: 'block', reason: 'ChildMissing', message, drift }
    : { ...about, verb: 'hold', reason: 'ObservedOnly', message, drift };
}
