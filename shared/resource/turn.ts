import { keyOf, titleOf } from '../kubernetes.ts';
import type { WriteDecision } from '../plan/decision/decision.ts';
import { addOutcome, isWrite, type Outcome } from '../plan/decision/outcome.ts';
import type { ObservedChild } from '../plan/observed/observed.ts';
import type { ReadTarget } from '../plan/observed/world.ts';
import type { Pruning } from '../plan/pruning.ts';
import { keyOfResource } from '../reading/read.ts';
import { commitMs, limitOfWrite } from '../run/fairness.ts';
import { isLaterPass, type LiveWorld, type Run, withTimeout } from '../run/run.ts';

export interface ReconcileOptions {
  readonly prune: Pruning['allows'];
  /** Plans only once, so that nothing is done that a preview did not show. A conflict ends the resource's turn. */
  readonly once?: boolean;
  /** Writes only the status, and only if the children are up to date. */
  readonly onlyStatus?: boolean;
}

export interface Share extends ReconcileOptions {
  /** The time, in milliseconds since the epoch, until which the spec counts as fresh. */
  readonly freshUntil: number;
  /** Time for the children. After this time, no request for the children is sent or waited for. */
  readonly timeoutMs: number;
  /** The time limit of each write's first try, so that hanging writes leave time for others. Default: `timeoutMs`. */
  readonly firstTryMs?: number | undefined;
}

/** A resource's share of a run. Requests for each purpose have their own time limit. */
export class Turn {
  readonly world: LiveWorld;
  readonly share: Share;
  /** The run, with the time limit for requests about children. */
  readonly run: Run;
  /** The run, with the time limit of the next write. */
  writing: Run;
  /** The run, with the longer time limit for Events and the status. */
  readonly ending: Run;
  /** The outcome of each child, including its writes in earlier attempts. */
  readonly outcomes = new Map<string, Outcome>();
  /** True if a child was written, or may have been: a response was lost. */
  wrote = false;
  /** True if a write got no response in time, or the server was too busy. */
  unanswered = false;
  /** Outcomes of writes without a response, by child. Recorded once the child shows the write, even in a later pass. */
  readonly lost: Map<string, Outcome>;
  freshUntil: number;
  /** Conflicts by child, since its last write. `first`: the child after the first conflict. `paths`: all paths seen. */
  readonly conflicts = new Map<
    string,
    { count: number; first: ObservedChild | undefined; readonly paths: Set<string> }
  >();
  /** When the time for the children ends, in milliseconds since the epoch. */
  readonly #end: number;

  constructor(run: Run, world: LiveWorld, share: Share) {
    const { timeoutMs, freshUntil } = share;
    this.world = world;
    this.share = share;
    // Set before the time limit of `run` begins, so that the turn is over (`isOver`) when a request times out.
    this.#end = Date.now() + timeoutMs;
    this.run = withTimeout(run, timeoutMs);
    this.writing = this.run;
    this.ending = withTimeout(run, timeoutMs + commitMs);
    this.lost = new Map(run.policy.lost?.get(keyOfResource(world)));
    this.freshUntil = freshUntil;
  }

  get isOver(): boolean {
    return Date.now() >= this.#end || (this.unanswered && !isLaterPass(this.run));
  }

  /** The run, with the time limit of dry runs: half of the turn. After that, updates are applied without dry runs. */
  get asking(): Run {
    return withTimeout(this.run, this.#end - this.share.timeoutMs / 2 - Date.now());
  }

  /** Limits the time of the next write, so that time is left for each of the `waiting` writes. */
  limitWrite(waiting: number): void {
    const { firstTryMs } = this.share;
    if (firstTryMs === undefined) return;
    const left = this.#end - Date.now();
    this.writing = withTimeout(this.run, limitOfWrite(firstTryMs, left, waiting));
  }

  record(outcome: Outcome): void {
    if (isWrite(outcome)) this.conflicts.delete(keyOf(outcome.child));
    addOutcome(this.outcomes, outcome);
  }
}

/** Thrown if a resource must be read and planned again, because something that a decision relies on has changed. */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  /** The object to read again: by default, the child of `decision`; undefined if only the resource has changed. */
  readonly target: ReadTarget | undefined;
  /** The write that met a conflict. */
  readonly decision: WriteDecision | undefined;
  /** All paths that `target`, if it is a sibling of the child, exposed in the plan or exposes now. */
  readonly paths: readonly string[];

  constructor(
    what: string,
    about: Partial<Pick<StaleError, 'decision' | 'target' | 'paths'>> = {},
  ) {
    super(`cannot ${what}: Conflict: it changed meanwhile`);
    const { decision, target, paths = [] } = about;
    this.decision = decision;
    this.target = target ?? (decision && { ...decision.child, type: decision.type });
    this.paths = paths;
  }
}

export const nameOfWrite = ({ verb, child }: WriteDecision): string => `${verb} ${titleOf(child)}`;

export const staleWrite = (decision: WriteDecision): StaleError =>
  new StaleError(nameOfWrite(decision), { decision });
