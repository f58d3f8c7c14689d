import { KubeError, lostAnswer } from '../cluster/errors.ts';
import type { ObjectRef } from '../kubernetes.ts';
import type { Decision } from '../plan/decision.ts';

/** The basis of a decision has changed: read again (only `decision`'s child, if given) and plan again. */
export class StaleError extends KubeError {
  readonly decision: Decision | undefined;

  /** `cause` is the server's refusal, if there was one. */
  constructor(what: string, decision?: Decision, cause?: unknown) {
    super(what, {
      code: 409,
      status: { reason: 'Conflict', message: 'it changed meanwhile' },
      lostAnswer: lostAnswer(cause),
    });
    this.decision = decision;
  }
}

/** An Ingress has changed beside the one that was to be written. */
export class BesideError extends StaleError {
  readonly child: ObjectRef;
  /** Its paths in the view, and its live ones. */
  readonly paths: readonly string[];

  constructor(what: string, { child, paths }: Pick<BesideError, 'child' | 'paths'>) {
    super(what);
    this.child = child;
    this.paths = paths;
  }
}
