import { isOverdue } from '../finalization.ts';
import { titleOf } from '../kubernetes.ts';
import type { Decision } from './decision/decision.ts';
import { refTo, type World } from './observed/world.ts';

/** Ready's reason while a deleted resource waits for its clean-up. */
export const finalizing = 'Finalizing';

/**
 * Returns the decisions that replace the clean-up of a deleted resource; undefined if the run does clean up. Returns an
 * empty list without `finalize` or after `finalizeSeconds`, and a wait while the garbage collector orphans children.
 */
export function insteadOfCleanUp({ kind, resource, now }: World): readonly Decision[] | undefined {
  if (kind.finalize === undefined || isOverdue(kind, resource, now)) return [];
  if (!resource.orphans) return undefined;
  const { name, namespace } = resource;
  const child = refTo(kind, name);
  const message = `${titleOf(child)} is cleaned up once the garbage collector has orphaned its children`;
  return [{ type: kind, child, namespace, verb: 'wait', reason: finalizing, message }];
}
