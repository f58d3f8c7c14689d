import type { ObjectRef } from '../kubernetes.ts';
import type { Decision } from '../plan/decision.ts';
import type { Failure } from '../plan/world.ts';

/** What was decided on has changed: it must be read and planned again. */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  /** The decision whose child must be read again; without it, the resource and all its children. */
  readonly decision: Decision | undefined;
  /** An earlier attempt of the same write had no answer, so it may have been carried out. */
  readonly lostAnswer: boolean;
  /** Set if the server refused the write as invalid and nothing else changed. */
  readonly refusal: Failure | undefined;
  /** Set if another object that the write relies on has changed. */
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
  /** Its paths, both in the world and live. */
  readonly paths: readonly string[];
}
