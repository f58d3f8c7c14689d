import type { ObservedChild, ObservedResource } from '../plan/observed.ts';
import type { Outcome } from '../plan/outcome.ts';
import type { Failure, Refusal, World } from '../plan/world.ts';

/** The world of one resource as a run last read or wrote it. */
export interface LiveWorld extends World {
  resource: ObservedResource;
  readonly children: Map<string, ObservedChild>;
  readonly absent: Set<string>;
  readonly unread: Map<string, Failure>;
  readonly givenUp: Map<string, Failure>;
  readonly possiblePaths: Map<string, Set<string>>;
  readonly refused: Map<string, Refusal>;
}

/** One resource in a run: its world, and what was done so far, over all attempts. */
export interface ReconcileState {
  world: LiveWorld;
  /** By child, earlier attempts included. */
  readonly outcomes: Map<string, Outcome>;
  /** Something was written, or may have been, its answer lost. */
  wrote: boolean;
  /** Until when the specification need not be read again, in milliseconds since the epoch. */
  freshUntil: number;
  /** Conflicts in a row, by child: a write that is done begins anew. */
  readonly conflicts: Map<string, number>;
  /** Paths with which exposing children were seen when something was in conflict. */
  readonly paths: Map<string, Set<string>>;
}

/** How long a specification that was read counts as fresh, in milliseconds. */
export const maxAgeMs = 10_000;

/** Nothing done yet. */
export const beginState = (world: LiveWorld, freshUntil: number): ReconcileState => ({
  world,
  outcomes: new Map(),
  wrote: false,
  freshUntil,
  conflicts: new Map(),
  paths: new Map(),
});
