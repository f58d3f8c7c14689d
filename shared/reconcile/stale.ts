import type { ObjectRef } from '../kubernetes.ts';
import type { Decision } from '../plan/decision.ts';
import type { Failure } from '../plan/world.ts';

/** What was decided on has changed: read it again, and plan again. */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  /** Whose child has to be read again; without it, the resource and all its children. */
  readonly decision: Decision | undefined;
  /** An earlier attempt of the same write had no answer: it may have been done. */
  readonly lostAnswer: boolean;
  /** Why the server refused the write as invalid, where that is all that is new. */
  readonly refusal: Failure | undefined;
  /** Another object that changed, which the write relies on. */
  readonly sibling: ChangedSibling | undefined;

  constructor(
    what: string,
    {
      decision,
      lostAnswer = false,
      refusal,
      sibling,
    }: {
      readonly decision?: Decision;
      readonly lostAnswer?: boolean;
      readonly refusal?: Failure;
      readonly sibling?: ChangedSibling;
    } = {},
  ) {
    super(`cannot ${what}: Conflict: it changed meanwhile`);
    this.decision = decision;
    this.lostAnswer = lostAnswer;
    this.refusal = refusal;
    this.sibling = sibling;
  }
}

export interface ChangedSibling {
  readonly child: ObjectRef;
  /** Its paths in the world, and its live ones. */
  readonly paths: readonly string[];
}
