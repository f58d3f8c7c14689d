import { readyOf, suspended } from './conditions.ts';
import type { ObservedResource } from './observed.ts';

/** Reports whether the generation is not fully acted on yet (`observedGeneration` differs). */
export const isEdited = ({ status, generation }: ObservedResource): boolean =>
  status.observedGeneration !== generation;

/** Reports whether no run has tried the generation yet, so that every write of this run is part of the edit. */
export const isUntried = (resource: ObservedResource): boolean =>
  isEdited(resource) && !isReported(resource);

function isReported(resource: ObservedResource): boolean {
  const ready = readyOf(resource);
  return ready?.observedGeneration === resource.generation && ready.reason !== suspended.reason;
}
