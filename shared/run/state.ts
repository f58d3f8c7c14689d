import type { WriteDecision } from '../plan/decision/decision.ts';
import type { Origin } from '../plan/decision/origin.ts';
import type { Applied } from '../plan/observed/applied.ts';
import type { ObservedChild } from '../plan/observed/observed.ts';
import type { ObservedResource } from '../plan/observed/observed-resource.ts';
import type { Asked, FailedRequest, Found, World } from '../plan/observed/world.ts';

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

/** A write that may have been carried out although it failed, and why it was made. */
export interface LostWrite {
  readonly decision: WriteDecision;
  readonly origin: Origin | undefined;
  /** The child before the write. */
  readonly before: ObservedChild | undefined;
}

/** How long a spec counts as fresh after it was read, in milliseconds. */
export const maxAgeMs = 10_000;
