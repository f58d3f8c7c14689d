import type { Decision } from '../plan/decision/decision.ts';
import type { ReadTarget } from '../plan/observed/world.ts';

interface Cause {
  /** The write that met a conflict, or was refused because of other managers' fields. */
  readonly decision?: Decision;
  /** True if an earlier attempt of the same write got no response and may have been carried out. */
  readonly lostAnswer?: boolean;
  /** Another object that the write relies on and that has changed. */
  readonly changed?: ReadTarget;
  /** The paths of `changed`, both as planned and live. */
  readonly paths?: readonly string[];
}

/** Thrown if a resource must be read and planned again, because the basis of a decision has changed. */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  /** The child to read again; undefined if only the resource has changed. */
  readonly target: ReadTarget | undefined;
  readonly decision: Decision | undefined;
  readonly lostAnswer: boolean;
  readonly paths: readonly string[];

  constructor(what: string, { decision, lostAnswer, changed, paths }: Cause = {}) {
    super(`cannot ${what}: Conflict: it changed meanwhile`);
    this.target = changed ?? (decision && { ...decision.child, type: decision.type });
    this.decision = decision;
    this.lostAnswer = lostAnswer ?? false;
    this.paths = paths ?? [];
  }
}
