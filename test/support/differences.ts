import type { Json, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import { type Draft, edited } from './edits.ts';

/** The time at which others change a child. */
export const at = '2026-11-21T11:00:00Z';

export const by = (manager: string, time = at) => ({ manager, time });

export const difference = (
  path: string,
  from: Json | undefined,
  to: Json | undefined,
  writer?: Difference['writer'],
): Difference => ({ path, from, to, writer });

export const change = (live: KubeObject, manager: string, edit: (draft: Draft) => void) =>
  edited(live, { by: manager, at }, edit);

/** A live child, and how it differs from the desired state. */
export interface DifferenceCase {
  readonly reason: string;
  readonly live: KubeObject;
  /** The desired fields; by default those of the sample resource. */
  readonly desired?: JsonObject;
  readonly want: readonly Difference[];
}
