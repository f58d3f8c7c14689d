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

/** The reason of a resource that waits for its clean-up. */
export const finalizing = 'Finalizing';

/**
 * The decisions of a deleted resource that is not cleaned up now: none if its kind has no clean-up any more or the time
 * for it is over, a wait while the garbage collector orphans the children. Otherwise undefined.
 */
export function insteadOfCleanUp({
  kind,
  resource,
  overdue,
}: World): readonly Decision[] | undefined {
  if (kind.finalize === undefined || overdue) return [];
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
