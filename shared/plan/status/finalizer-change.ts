import { titleOf } from '../../kubernetes.ts';
import { readyOf } from '../observed/conditions.ts';
import type { World } from '../observed/world.ts';
import type { Plan } from '../plan.ts';
import type { Finding } from './finding.ts';
import type { EventRecord } from './kubernetes-events.ts';

/** What a run does with the finalizer of a resource. */
export type FinalizerChange = 'add' | 'remove';

/**
 * The change of a resource's finalizer: it is added before anything else is written, and removed last.
 *
 * Guarantees: removed only if the finding names an end of the clean-up, or the kind has none.
 */
export function finalizerChange(
  { kind, resource }: Pick<World, 'kind' | 'resource'>,
  planned: Plan,
  found?: Finding,
): FinalizerChange | undefined {
  const { deleting, finalizers } = resource;
  const hasEnded = kind.finalize === undefined || (deleting && found?.ends !== undefined);
  if (finalizers !== undefined) return hasEnded ? 'remove' : undefined;
  return !hasEnded && !deleting && planned.state === 'planned' ? 'add' : undefined;
}

/** The Event for a clean-up that ends before it is complete. */
export function eventOfEnd(
  { kind, resource }: Pick<World, 'kind' | 'resource'>,
  found: Finding | undefined,
): EventRecord | undefined {
  if (kind.finalize === undefined || found?.ends === undefined || found.ends === 'done')
    return undefined;
  const { name, namespace, deletedAt = '' } = resource;
  const title = titleOf({ kind: kind.kind, name, namespace });
  const isLate = found.ends === 'FinalizeTimedOut';
  const last = isLate ? readyOf(resource) : found.summary;
  const why = isLate ? `not complete after ${kind.finalizeSeconds} s` : 'not possible';
  const message = `the clean-up of ${title} was ${why}, and it goes without`;
  const left = last !== undefined && 'message' in last ? `: ${last.message}` : '';
  return { type: 'Warning', reason: found.ends, message: `${message}${left}`, of: deletedAt };
}

/** The finding for a resource that is cleaned up and kept by the finalizers of others; undefined if nothing keeps it. */
export const afterCleanUp = (
  { deleting, isHeldByOthers }: World['resource'],
  found: Finding,
): Finding | undefined => {
  if (!deleting) return found;
  if (!isHeldByOthers) return undefined;
  const message = 'the clean-up has ended; it waits for the finalizers of others';
  return { ...found, summary: { state: 'Reconciling', reason: 'Finalized', message } };
};
