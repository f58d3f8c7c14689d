import { canonicalJson } from '../canonical.ts';
import type { Json } from '../kubernetes.ts';
import type { Consolidate, Decision, Update } from '../plan/decision.ts';
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
      return isSame(observed, decision) && drift(decision.fields, observed).length === 0;
    case 'withdraw':
      return isAt(decision.type.exposure?.valueOf(observed.facts), decision.difference.to);
    case 'consolidate':
      return isSame(observed, decision) && !observed.legacy;
    default:
      return false;
  }
}

/** The object that the decision was made for; one that follows another write of the run was written by it. */
const isSame = ({ uid }: ObservedChild, { lock }: Update | Consolidate): boolean =>
  lock === 'previous' || lock.uid === uid;

const isAt = (live: Json | undefined, wanted: Json): boolean =>
  canonicalJson(live ?? []) === canonicalJson(wanted);
