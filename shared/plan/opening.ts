import type { Child } from '../kinds/define-kind.ts';
import { type Difference, isOwnershipOnly } from './drift.ts';
import type { ObservedChild } from './observed.ts';

/**
 * Whether a child as it is may admit requests that it should not: such a child is never left to a tick.
 *
 * Source: requests fall through to what is left, so a protected object that is gone, or lost a path,
 * opens what a shallower one serves. A public one that merely lost paths opens nothing.
 */
export function opens(
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
