import { keyOf } from '../kubernetes.ts';
import { addOutcome, isWrite, type Outcome } from '../plan/decision/outcome.ts';
import type { Pruning } from '../plan/pruning.ts';
import { keyOfResource } from '../reading/read.ts';
import { limitOfWrite } from '../run/fairness.ts';
import { type LiveWorld, type LostWrite, type Run, withTimeout } from '../run/run.ts';

export interface ReconcileOptions {
  readonly prune: Pruning['allows'];
  /** Plans only once, so that nothing is done that a preview did not show: a conflict ends the resource's run. */
  readonly once?: boolean;
  /** Writes only the status, and only if the children are up to date. */
  readonly onlyStatus?: boolean;
}

/** One resource's share of a run; times in milliseconds. */
export interface Share extends ReconcileOptions {
  /** When the spec stops counting as fresh, in milliseconds since the epoch. */
  readonly freshUntil: number;
  /** Time for the children. After it, requests for them are neither begun nor waited for. */
  readonly timeoutMs: number;
  /** Time for one write, so that after a write that hangs there is time for the next. Default: `timeoutMs`. */
  readonly firstTryMs?: number;
}

/** Time for a resource's Events and status, in addition to its share. */
const commitMs = 5_000;

/** The turn of one resource in a run. Its requests go through four runs, each with its own time limit. */
export class Turn {
  readonly world: LiveWorld;
  readonly share: Share;
  /** For the children. */
  readonly run: Run;
  /** For the next write. */
  writing: Run;
  /** For Events and the status, a little longer. */
  readonly ending: Run;
  /** Outcomes by child, including those of earlier attempts. */
  readonly outcomes = new Map<string, Outcome>();
  /** True if something was written, or may have been because a response was lost. */
  wrote = false;
  /** True if a write got no response in its time. */
  unanswered = false;
  /** Writes that may have been carried out although they failed, by child, including those of earlier passes. */
  readonly lost: Map<string, LostWrite>;
  /** Writes that the server refused for good, by child, so that none is sent twice. */
  readonly refused = new Map<string, Refused>();
  freshUntil: number;
  /** Conflicts in a row, by child. A successful write ends them. */
  readonly conflicts = new Map<string, Conflicts>();
  readonly #end: number;

  constructor(run: Run, world: LiveWorld, share: Share) {
    const { timeoutMs, freshUntil } = share;
    this.world = world;
    this.share = share;
    this.run = withTimeout(run, timeoutMs);
    this.writing = this.run;
    this.ending = withTimeout(run, timeoutMs + commitMs);
    this.lost = new Map(run.policy.lost?.get(keyOfResource(world)));
    this.freshUntil = freshUntil;
    this.#end = Date.now() + timeoutMs;
  }

  /** For dry runs, until half of the time is over. */
  get asking(): Run {
    return withTimeout(this.run, this.#end - this.share.timeoutMs / 2 - Date.now());
  }

  /** Gives the next of `waiting` writes its share of the time. */
  limitWrite(waiting: number): void {
    const { firstTryMs } = this.share;
    if (firstTryMs === undefined) return;
    const left = this.#end - Date.now();
    this.writing = withTimeout(this.run, limitOfWrite(firstTryMs, left, waiting));
  }

  record(outcome: Outcome): void {
    if (isWrite(outcome)) this.conflicts.delete(keyOf(outcome.child));
    addOutcome(this.outcomes, outcome, this.world.resource);
  }
}

interface Refused {
  /** The write as JSON. */
  readonly write: string;
  readonly outcome: Outcome;
}

interface Conflicts {
  count: number;
  /** The paths that the child, if it exposes any, was observed with. */
  readonly paths: Set<string>;
}
