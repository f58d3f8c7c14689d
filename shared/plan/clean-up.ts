import { isOverdue } from '../finalization.ts';
import { titleOf } from '../kubernetes.ts';
import type { Decision } from './decision/decision.ts';
import { refTo, type World } from './observed/world.ts';

/** The reason of the Ready condition while a deleted resource waits for its clean-up. */
export const finalizing = 'Finalizing';

/**
 * Returns the decisions about a deleted resource if this run does not clean it up; undefined if it does. Returns no
 * decisions if the kind has no `finalize` or `finalizeSeconds` have passed, and a wait while the garbage collector
 * orphans the children.
 */
export function insteadOfCleanUp({ kind, resource, now }: World): readonly Decision[] | undefined {
  if (kind.finalize === undefined || isOverdue(kind, resource, now)) return [];
  if (!resource.orphans) return undefined;
  const { name, namespace } = resource;
  const child = refTo(kind, name);
  const message = `${titleOf(child)} is cleaned up once the garbage collector has orphaned its children`;
  return [{ type: kind, child, namespace, verb: 'wait', reason: finalizing, message }];
}
