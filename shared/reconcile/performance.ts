import type { Outcome } from '../plan/outcome.ts';
import type { Unsteady } from '../plan/world.ts';
import type { Failure } from './refusal.ts';
import type { View } from './view.ts';

/** What a run has done for one resource, over all its tries. */
export interface Performance {
  view: View;
  /** What was done so far, by child: earlier tries of the same resource included. */
  readonly outcomes: Map<string, Outcome>;
  /** Something was written, or may have been, its answer lost. */
  wrote: boolean;
  /** Until when the specification needs no second look, in milliseconds since the epoch. */
  freshUntil: number;
  /** Conflicts in a row, by child: a write that is done begins anew. */
  readonly conflicts: Map<string, number>;
  /** Children that others write without pause, and what is reported of them. */
  readonly givenUp: Map<string, Failure>;
  /** Ingresses among these, and paths they were seen with when something was in conflict. */
  readonly unsteady: Map<string, Unsteady>;
  readonly paths: Map<string, Set<string>>;
}

/** Nothing done yet. */
export const begin = (view: View, freshUntil: number): Performance => ({
  view,
  outcomes: new Map(),
  wrote: false,
  freshUntil,
  conflicts: new Map(),
  givenUp: new Map(),
  unsteady: new Map(),
  paths: new Map(),
});
