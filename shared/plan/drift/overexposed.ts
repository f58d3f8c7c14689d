import type { Child } from '../../kinds/child.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { type Difference, isOwnershipOnly } from './differences.ts';

/**
 * Reports whether the live child may admit requests that the desired one would refuse. A protected object
 * counts if it or one of its paths is missing: a shallower path then matches and may require fewer scopes. A
 * public object that only lost paths does not count.
 */
export function isOverexposed(
  child: Child,
  observed: ObservedChild | undefined,
  differences: readonly Difference[],
): boolean {
  const { exposure } = child.type;
  if (exposure === undefined) return false;
  const isPublic = exposure.isPublic(child);
  if (observed === undefined) return !isPublic;
  return differences.some((one) => {
    if (isOwnershipOnly(one) && one.to !== undefined) return false;
    if (/^metadata\.(labels|ownerReferences)/.test(one.path)) return false;
    return one.path !== exposure.field || !isPublic || !exposure.isPartOf(observed.facts, child);
  });
}
