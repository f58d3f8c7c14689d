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
 * Returns the decisions if a deleted resource is not cleaned up in this run: none if its kind no longer has a
 * clean-up or its time is over, and a wait while the garbage collector orphans the children. Otherwise undefined.
 */
export function insteadOfCleanUp({ kind, resource, now }: World): readonly Decision[] | undefined {
  if (kind.finalize === undefined || isOverdue(kind, resource, now)) return [];
  if (!resource.orphans) return undefined;
  const { name, namespace } = resource;
  const child = refTo(kind, name);
  const message = `${titleOf(child)} is cleaned up once the garbage collector has orphaned its children`;
  return [{ type: kind, child, namespace, verb: 'wait', reason: finalizing, message }];
}

/** Objects that must be gone and that no list returned: they may exist without labels. */
export const unseenGone = (desired: readonly Child[], world: World): readonly ReadTarget[] =>
  desired
    .filter(({ gone, type }) => gone && unlistedIn(world, type) === undefined)
    .map((child) => ({ ...refOf(child), type: child.type }))
    .filter((ref) => !isKnown(world, ref));
