import { KubeError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import type { Around } from '../reconcile/calls.ts';

const refusal = (what: string, code: number, reason: string): KubeError =>
  new KubeError(what, { code, status: { reason, message: 'injected by the test' } });

/** The ways in which a call may fail; a lasting failure also applies to every later call of the run. */
const failures = {
  'a conflict': {
    done: false,
    lasts: false,
    error: (what: string) => refusal(what, 409, 'Conflict'),
  },
  'a refusal': {
    done: false,
    lasts: false,
    error: (what: string) => refusal(what, 403, 'Forbidden'),
  },
  'an internal error': {
    done: false,
    lasts: false,
    error: (what: string) => refusal(what, 500, 'InternalError'),
  },
  'a lost response': {
    done: true,
    lasts: false,
    error: (what: string) => new UnreachableError(what),
  },
  'the end of the process before it': {
    done: false,
    lasts: true,
    error: (what: string) => new UnreachableError(what),
  },
  'the end of the process after it': {
    done: true,
    lasts: true,
    error: (what: string) => new UnreachableError(what),
  },
} as const;

export type Failure = keyof typeof failures;
export const failureNames = Object.keys(failures) as readonly Failure[];

/** Describes a failing call of a run. */
export interface CallFault {
  /** Counts the calls that succeed before it. */
  readonly at: number;
  readonly how: Failure;
}

/** Makes a call fail, including all retries of the client. */
export function withFault(around: Around, { at, how }: CallFault): Around {
  const { done, lasts, error } = failures[how];
  let calls = 0;
  return async (what, call) => {
    const number = calls++;
    if (number < at || (number > at && !lasts)) return around(what, call);
    if (number === at && done) await around(what, call);
    throw error(what);
  };
}

/** Passes every call on. */
export const undisturbed: Around = (_, call) => call();
