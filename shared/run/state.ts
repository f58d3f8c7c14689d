import type { WriteDecision } from '../plan/decision/decision.ts';
import type { Origin } from '../plan/decision/origin.ts';
import type { Outcome } from '../plan/decision/outcome.ts';
import type { Applied } from '../plan/observed/applied.ts';
import type { ObservedChild, ObservedResource } from '../plan/observed/observed.ts';
import type { Asked, FailedRequest, Found, ReadTarget, World } from '../plan/observed/world.ts';

/** The world of one resource as a run last read or wrote it. */
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

/** One resource in a run: its world, and everything done in the attempts so far. */
export interface ReconcileState {
  readonly world: LiveWorld;
  /** Outcomes by child, including earlier attempts. */
  readonly outcomes: Map<string, Outcome>;
  /** True if something was written, or may have been because a response was lost. */
  wrote: boolean;
  /** True if a write got no answer in its time. */
  unanswered: boolean;
  /** Writes that may have been carried out without an answer, by child; also those of earlier passes. */
  readonly lost: Map<string, LostWrite>;
  /** Time until which the spec counts as fresh, in milliseconds since the epoch. */
  freshUntil: number;
  /** Children whose creation failed, but may have been carried out. They are read before the resource is read again. */
  readonly uncertain: Set<ReadTarget>;
  /** Writes that the server refused for good, by child. */
  readonly refused: Map<string, Refused>;
  /** Conflicts in a row, by child; a successful write resets them. */
  readonly conflicts: Map<string, number>;
  /** The paths that exposing children had at each conflict. */
  readonly paths: Map<string, Set<string>>;
}

/** A write that may have been carried out, and why it was made. */
export interface LostWrite {
  readonly decision: WriteDecision;
  readonly origin: Origin | undefined;
  /** The child before the write. */
  readonly before: ObservedChild | undefined;
}

interface Refused {
  /** The write, and the version that it was locked to, as JSON. */
  readonly write: string;
  readonly outcome: Outcome;
}

/** Milliseconds for which a spec counts as fresh after it was read. */
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
