import { isOverdue } from '../finalization.ts';
import type { Child } from '../kinds/child.ts';
import { titleOf } from '../kubernetes.ts';
import type { Decision } from './decision/decision.ts';
import {
  isKnown,
  type ReadTarget,
  refOf,
  refTo,
  unlistedIn,
  type World,
} from './observed/world.ts';

/** The reason of the Ready condition while a deleted resource waits for its clean-up. */
export const finalizing = 'Finalizing';

/**
 * Returns the decisions for a deleted resource that is not cleaned up in this run; undefined if it is. None
 * if its kind no longer has `finalize` or `finalizeSeconds` are over; a wait while the garbage collector
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

/** Children built by `gone` that no list returned. They may exist without our labels, so they are read by name. */
export const unseenGone = (desired: readonly Child[], world: World): readonly ReadTarget[] =>
  desired
    .filter(({ gone, type }) => gone && unlistedIn(world, type) === undefined)
    .map((child) => ({ ...refOf(child), type: child.type }))
    .filter((ref) => !isKnown(world, ref));
