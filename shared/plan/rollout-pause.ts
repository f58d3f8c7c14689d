import { rolloutAnnotation } from '../kinds/names.ts';
import type { ObjectMeta } from '../kubernetes.ts';

/** Whether the rollout of a kind is paused, by an annotation of its definition. */
export interface RolloutPause {
  readonly paused: boolean;
  /** Failures up to this time no longer count; empty if all do. */
  readonly resumedAt: string;
}

export const notPaused: RolloutPause = { paused: false, resumedAt: '' };

export const pausedValue = 'paused';

/** Guarantees: whatever is neither absent nor a time pauses, as nothing begins then. */
export function rolloutPauseOf({ annotations }: Pick<ObjectMeta, 'annotations'>): RolloutPause {
  const value = annotations?.[rolloutAnnotation];
  if (value === undefined) return notPaused;
  return isTime(value) ? { paused: false, resumedAt: value } : { paused: true, resumedAt: '' };
}

/** As in metav1.Time, so that times can be compared as texts. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text));
