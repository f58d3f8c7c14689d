import type { Decision } from '../plan/decision/decision.ts';
import type { ReadTarget } from '../plan/observed/world.ts';

interface Cause {
  /** The write that met a conflict, or that the server refused because of other managers' fields. */
  readonly decision?: Decision;
  /** True if an earlier attempt of the write got no response, so that it may have been carried out. */
  readonly lostAnswer?: boolean;
  /** An object other than the child that the write relies on and that has changed. */
  readonly changed?: ReadTarget;
  /** The paths of `changed`: those in the plan, and the live ones. */
  readonly paths?: readonly string[];
}

/** Thrown if a resource must be read and planned again, because something that a decision relies on has changed. */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  /** The object to read again; undefined if only the resource has changed. */
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
