import type { Decision } from '../plan/decision/decision.ts';
import type { FailedRequest, ReadTarget } from '../plan/observed/world.ts';

interface Cause {
  /** The write that met a conflict, or was refused. */
  readonly decision?: Decision;
  /** An earlier attempt of the same write had no answer, so it may have been carried out. */
  readonly lostAnswer?: boolean;
  /** Why the server refused the write as invalid, if nothing had changed. */
  readonly refusal?: FailedRequest;
  /** Another object that the write relies on and that has changed. */
  readonly changed?: ReadTarget;
  /** The paths of `changed`, both as planned and live. */
  readonly paths?: readonly string[];
}

/** Thrown where a resource must be read and planned again, as what was decided on has changed. */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  /** The child to read again; undefined if only the resource has changed. */
  readonly target: ReadTarget | undefined;
  readonly decision: Decision | undefined;
  readonly lostAnswer: boolean;
  readonly refusal: FailedRequest | undefined;
  readonly paths: readonly string[];

  constructor(what: string, { decision, lostAnswer, refusal, changed, paths }: Cause = {}) {
    super(`cannot ${what}: Conflict: it changed meanwhile`);
    this.target = changed ?? (decision && { ...decision.child, type: decision.type });
    this.decision = decision;
    this.lostAnswer = lostAnswer ?? false;
    this.refusal = refusal;
    this.paths = paths ?? [];
  }
}
