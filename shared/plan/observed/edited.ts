import { readyOf, suspended } from './conditions.ts';
import type { ObservedResource } from './observed-resource.ts';

/** Reports whether the resource was edited since it was last fully reconciled (`observedGeneration` differs). */
export const isEdited = ({ status, generation }: ObservedResource): boolean =>
  status.observedGeneration !== generation;

/** Reports whether no run has tried this generation yet, so that every write of this run belongs to the edit. */
export const isUntried = (resource: ObservedResource): boolean =>
  isEdited(resource) && !isReported(resource);

function isReported(resource: ObservedResource): boolean {
  const ready = readyOf(resource);
  return ready?.observedGeneration === resource.generation && ready.reason !== suspended.reason;
}
