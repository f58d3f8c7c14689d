import type { ObservedChild, ObservedResource } from '../plan/observed.ts';
import type { Outcome } from '../plan/outcome.ts';
import type { ResourceStatus } from '../plan/recorded-status.ts';
import type { Failure, Found, Refusal, World } from '../plan/world.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** The world of one resource as a run last read or wrote it. */
export interface LiveWorld extends World {
  resource: ObservedResource;
  readonly children: Map<string, ObservedChild>;
  readonly absent: Set<string>;
  readonly reads: Map<string, Found>;
  readonly unread: Map<string, Failure>;
  readonly givenUp: Map<string, Failure>;
  readonly possiblePaths: Map<string, Set<string>>;
  readonly refused: Map<string, Refusal>;
}

/** One resource in a run: its world, and what was done in all attempts so far. */
export interface ReconcileState {
  world: LiveWorld;
  /** By child, including earlier attempts. */
  readonly outcomes: Map<string, Outcome>;
  /** Something was written, or may have been, as an answer was lost. */
  wrote: boolean;
  /** Until when the specification counts as fresh, in milliseconds since the epoch. */
  freshUntil: number;
  /** Another run was seen at work on it. */
  contended: boolean;
  /** It was edited in its turn, or children that only this run knows were read, so deletions were not counted. */
  expectsDeletions: boolean;
  /** Conflicts in a row, by child; a successful write resets them. */
  readonly conflicts: Map<string, number>;
  /** The paths that exposing children were observed with at each conflict. */
  readonly paths: Map<string, Set<string>>;
}

/** How long a specification that was read counts as fresh, in milliseconds. */
export const maxAgeMs = 10_000;

export const beginState = (world: LiveWorld, freshUntil: number): ReconcileState => ({
  world,
  outcomes: new Map(),
  wrote: false,
  contended: false,
  expectsDeletions: false,
  freshUntil,
  conflicts: new Map(),
  paths: new Map(),
});

/**
 * The statuses that a run has decided on and not written yet, by uid: those of new resources whose
 * children only progress. Settling writes them once they are Ready.
 *
 * Guarantees: the run itself goes on as if they were written; others see a resource as a run leaves it
 * between the writes of its children and its commit. None waits much longer than 15 s.
 */
export interface Unwritten {
  readonly statuses: Map<string, UnwrittenStatus>;
  /** When the run began, in milliseconds since the epoch. */
  readonly started: number;
  /** Of the whole run. */
  readonly memoryBudget: MemoryBudget;
  /** How long a request takes while many are under way, in milliseconds. */
  requestMs: number;
  /** No further status is added. */
  closed: boolean;
}

interface UnwrittenStatus {
  /** Without children; the resource as it was last read with the same specification. */
  readonly world: LiveWorld;
  readonly status: ResourceStatus;
  /** Since when it waits, in milliseconds since the epoch. */
  readonly since: number;
}
