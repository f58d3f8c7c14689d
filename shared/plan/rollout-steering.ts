import { rolloutAnnotation } from '../kinds/names.ts';
import type { ObjectMeta } from '../kubernetes.ts';

/** How the rollout of a kind is steered, by an annotation of its definition. */
export interface Steering {
  readonly paused: boolean;
  /** Failures up to this time no longer count; empty if all do. */
  readonly resumedAt: string;
}

export const unsteered: Steering = { paused: false, resumedAt: '' };

export const pausedValue = 'paused';

/** Guarantees: whatever is neither absent nor a time pauses, as nothing begins then. */
export function steeringOf({ annotations }: Pick<ObjectMeta, 'annotations'>): Steering {
  const value = annotations?.[rolloutAnnotation];
  if (value === undefined) return unsteered;
  return isTime(value) ? { paused: false, resumedAt: value } : { paused: true, resumedAt: '' };
}

/** As in metav1.Time, so that times can be compared as texts. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text));
