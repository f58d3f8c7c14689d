import { titleOf } from '../../kubernetes.ts';
import type { World } from '../observed/world.ts';
import type { Plan } from '../plan.ts';
import type { Finding } from './finding.ts';
import type { EventRecord } from './kubernetes-events.ts';

export type FinalizerChange = 'add' | 'remove';

/**
 * Returns what to do with a resource's finalizer, which is added before any child is written.
 *
 * Guarantees: removes the finalizer only once the clean-up has ended, or if the kind has no `finalize`. Changes nothing
 * in a resource that is only observed.
 */
export function finalizerChange(
  { kind, resource }: Pick<World, 'kind' | 'resource'>,
  planned: Plan,
  found?: Finding,
): FinalizerChange | undefined {
  const { deleting, observeOnly, finalizers } = resource;
  if (observeOnly) return undefined;
  const hasEnded = kind.finalize === undefined || (deleting && found?.ends !== undefined);
  if (finalizers !== undefined) return hasEnded ? 'remove' : undefined;
  return !hasEnded && !deleting && planned.state === 'planned' ? 'add' : undefined;
}

export function eventOfEnd(
  { kind, resource }: Pick<World, 'kind' | 'resource'>,
  found: Finding | undefined,
): EventRecord | undefined {
  if (kind.finalize === undefined || found?.ends === undefined || found.ends === 'done')
    return undefined;
  const { name, namespace, deletedAt = '' } = resource;
  const title = titleOf({ kind: kind.kind, name, namespace });
  const isLate = found.ends === 'FinalizeTimedOut';
  const why = isLate ? `not complete after ${kind.finalizeSeconds} s` : 'not possible';
  const message = `the clean-up of ${title} was ${why}; the resource is removed without it`;
  const left = 'message' in found.summary ? `: ${found.summary.message}` : '';
  return { type: 'Warning', reason: found.ends, message: `${message}${left}`, of: deletedAt };
}

/** Returns the finding to write; undefined if the clean-up has ended and no other finalizer keeps the resource. */
export const afterCleanUp = (
  { deleting, otherFinalizers }: World['resource'],
  found: Finding,
): Finding | undefined => {
  if (!deleting) return found;
  if (otherFinalizers === undefined) return undefined;
  const message = `the clean-up has ended; the resource waits for the finalizers of others: ${otherFinalizers.join(', ')}`;
  return { ...found, summary: { state: 'Reconciling', reason: 'Finalized', message } };
};
