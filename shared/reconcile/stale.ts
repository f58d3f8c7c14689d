import { KubeError, lostAnswer } from '../cluster/errors.ts';
import type { Decision } from '../plan/decision.ts';

/** What was decided on is no longer so: read again (only `decision`'s child, if given) and plan again. */
export class StaleError extends KubeError {
  readonly decision: Decision | undefined;

  /** `cause` is the server's refusal, where there was one. */
  constructor(what: string, decision?: Decision, cause?: unknown) {
    super(what, {
      code: 409,
      status: { reason: 'Conflict', message: 'it changed meanwhile' },
      lostAnswer: lostAnswer(cause),
    });
    this.decision = decision;
  }
}
