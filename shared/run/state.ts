import type { WriteDecision } from '../plan/decision/decision.ts';
import type { Origin } from '../plan/decision/origin.ts';
import type { Outcome } from '../plan/decision/outcome.ts';
import type { Applied } from '../plan/observed/applied.ts';
import type { ObservedChild, ObservedResource } from '../plan/observed/observed.ts';
import type { Asked, FailedRequest, Found, ReadTarget, World } from '../plan/observed/world.ts';

/** The world of one resource, which the run updates with everything that it reads or writes. */
export interface LiveWorld extends World {
  resource: ObservedResource;
  readonly children: Map<string, ObservedChild>;
  readonly applied: Map<string, Applied>;
  readonly asked: Map<string, Asked>;
  readonly absent: Set<string>;
  readonly reads: Map<string, Found>;
  readonly unread: Map<string, FailedRequest>;
  readonly givenUp: Map<string, FailedRequest>;
  readonly possiblePaths: Map<string, Set<string>>;
  foresees?: boolean;
  adopts?: boolean;
}

/** One resource in a run: its world, and what the attempts so far have done. */
export interface ReconcileState {
  readonly world: LiveWorld;
  /** Outcomes by child, including those of earlier attempts. */
  readonly outcomes: Map<string, Outcome>;
  /** True if something was written, or may have been because a response was lost. */
  wrote: boolean;
  /** True if a write got no response in its time. */
  unanswered: boolean;
  /** Writes whose response was lost, by child, including those of earlier passes. */
  readonly lost: Map<string, LostWrite>;
  /** Time until which the spec counts as fresh, in milliseconds since the epoch. */
  freshUntil: number;
  /** Children whose creation failed but may have been carried out. Read them before the resource is read again. */
  readonly uncertain: Set<ReadTarget>;
  /** Writes that the server refused permanently, by child. */
  readonly refused: Map<string, Refused>;
  /** Number of conflicts in a row, by child. A successful write resets it. */
  readonly conflicts: Map<string, number>;
  /** The paths that each exposing child had when conflicts were met. */
  readonly paths: Map<string, Set<string>>;
}

/** A write whose response was lost, and why it was made. */
export interface LostWrite {
  readonly decision: WriteDecision;
  readonly origin: Origin | undefined;
  /** The child before the write. */
  readonly before: ObservedChild | undefined;
}

interface Refused {
  /** The write and the version that it was locked to, as JSON. */
  readonly write: string;
  readonly outcome: Outcome;
}

/** How long a spec counts as fresh after it was read, in milliseconds. */
export const maxAgeMs = 10_000;

export const beginState = (
  world: LiveWorld,
  freshUntil: number,
  lost: Iterable<readonly [string, LostWrite]> = [],
): ReconcileState => ({
  world,
  outcomes: new Map(),
  wrote: false,
  uncertain: new Set(),
  unanswered: false,
  lost: new Map(lost),
  freshUntil,
  refused: new Map(),
  conflicts: new Map(),
  paths: new Map(),
});
