import { canonicalJson } from '../canonical.ts';
import type { Decision } from '../plan/decision.ts';
import { drift } from '../plan/drift.ts';
import type { ObservedChild, ObservedResource } from '../plan/observed.ts';
import { isOwn } from '../plan/ownership.ts';

/** Whether a child, read after the answer to its write was lost, shows that the write was done. */
export function isDone(
  decision: Decision,
  resource: ObservedResource,
  observed: ObservedChild | undefined,
): boolean {
  if (observed === undefined || !isOwn(resource, observed)) return false;
  switch (decision.verb) {
    case 'create':
      return drift(decision.fields, observed).length === 0;
    case 'update':
      return observed.uid === decision.uid && drift(decision.fields, observed).length === 0;
    case 'withdraw':
      return canonicalJson(observed.facts.rules ?? []) === canonicalJson([...decision.rules]);
    case 'consolidate':
      return observed.uid === decision.uid && !observed.legacy;
    default:
      return false;
  }
}
