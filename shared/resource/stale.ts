import { titleOf } from '../kubernetes.ts';
import type { WriteDecision } from '../plan/decision/decision.ts';
import type { ReadTarget } from '../plan/observed/world.ts';

interface Cause {
  /** The write that met a conflict, or that the server refused because of other managers' fields. */
  readonly decision?: WriteDecision;
  /** The changed object, if it is not the child itself but another one that the write relies on. */
  readonly changed?: ReadTarget;
  /** The paths of `changed`: those in the plan, and the live ones. */
  readonly paths?: readonly string[];
}

/** Thrown if a resource must be read and planned again, because something that a decision relies on has changed. */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  /** The object to read again; undefined if only the resource has changed. */
  readonly target: ReadTarget | undefined;
  readonly decision: WriteDecision | undefined;
  readonly paths: readonly string[];

  constructor(what: string, { decision, changed, paths = [] }: Cause = {}) {
    super(`cannot ${what}: Conflict: it changed meanwhile`);
    this.target = changed ?? (decision && { ...decision.child, type: decision.type });
    this.decision = decision;
    this.paths = paths;
  }
}

export const nameOfWrite = ({ verb, child }: WriteDecision): string => `${verb} ${titleOf(child)}`;

export const staleWrite = (decision: WriteDecision): StaleError =>
  new StaleError(nameOfWrite(decision), { decision });
