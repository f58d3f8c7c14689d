import { suspended } from './conditions.ts';
import type { ObservedResource } from './observed.ts';

/** The generation is not fully acted on yet (`observedGeneration` is older). */
export const isEdited = ({ status, generation }: ObservedResource): boolean =>
  status.observedGeneration !== generation;

/** No run has tried the generation yet, so every write of this run is part of the edit. */
export const isUntried = (resource: ObservedResource): boolean =>
  isEdited(resource) && !isReported(resource);

const isReported = ({ status, generation }: ObservedResource): boolean =>
  status.conditions?.some(
    ({ type, reason, observedGeneration }) =>
      type === 'Ready' && reason !== suspended.reason && observedGeneration === generation,
  ) === true;
