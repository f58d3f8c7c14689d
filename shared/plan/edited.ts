import { suspended } from './conditions.ts';
import type { ObservedResource } from './observed.ts';

/** The author asks for something that no run has fully acted on yet. */
export const isEdited = ({ status, generation }: ObservedResource): boolean =>
  status.observedGeneration !== generation;

/** The author asks for something that no run has tried yet: every write is what was asked for. */
export const isUntried = (resource: ObservedResource): boolean =>
  isEdited(resource) && !isReported(resource);

const isReported = ({ status, generation }: ObservedResource): boolean =>
  status.conditions?.some(
    ({ type, reason, observedGeneration }) =>
      type === 'Ready' && reason !== suspended.reason && observedGeneration === generation,
  ) === true;
