import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeadlineError, KubeError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { retryOnConflict, retryTransient } from '../../shared/cluster/retry.ts';
import { casesOf } from '../support/cases.ts';

const kubeError = (code: number, reason: string, over: object = {}) =>
  new KubeError('apply Foo', { code, status: { reason }, ...over });
const conflict = () => kubeError(409, 'Conflict');
const busy = (retryAfter?: number) =>
  kubeError(429, 'TooManyRequests', retryAfter === undefined ? {} : { retryAfter });

/** RBAC after a restart of the API server, before it has loaded its rules. */
const denied = () =>
  new KubeError('apply Foo', {
    code: 403,
    status: {
      reason: 'Forbidden',
      message:
        'foos.example.com is forbidden: User "r" cannot patch resource "foos": RBAC: clusterrole.rbac.authorization.k8s.io "r" not found',
    },
  });

const start = Date.parse('2026-11-21T12:00:00Z');
const later = start + 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Fails with these errors, one after the other, then succeeds; records its calls. */
function failing(errors: readonly unknown[]) {
  const calls: { readonly at: number; readonly argument: unknown }[] = [];
  const attempt = async (argument?: unknown): Promise<string> => {
    calls.push({ at: Date.now() - start, argument });
    const error = errors[calls.length - 1];
    if (error !== undefined) throw error;
    return 'done';
  };
  return { calls, attempt };
}

/** Resolves with the value or the error once all timers have run. */
async function settled(promise: Promise<unknown>): Promise<unknown> {
  const outcome = promise.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return outcome;
}

interface Case {
  readonly reason: string;
  readonly given: readonly unknown[];
  readonly tries: number;
  /** Index of the error that is thrown, or `done`. */
  readonly want: number | 'done';
}

const fieldManager = new KubeError('apply Foo', {
  code: 409,
  status: { reason: 'Conflict', details: { causes: [{ reason: 'FieldManagerConflict' }] } },
});

const conflicts: Record<string, Case> = {
  'C-10 None': { reason: 'one call suffices', given: [], tries: 1, want: 'done' },
  'C-10 Twice': {
    reason: 'each conflict causes another attempt',
    given: [conflict(), conflict()],
    tries: 3,
    want: 'done',
  },
  'C-10 Always': {
    reason: 'after five attempts the last error is thrown unchanged',
    given: Array.from({ length: 9 }, conflict),
    tries: 5,
    want: 4,
  },
  'C-10 Other': {
    reason: 'any other error is thrown at once',
    given: [kubeError(500, 'InternalError')],
    tries: 1,
    want: 0,
  },
  'C-10 OtherThen': {
    reason: 'any other error after a conflict is thrown at once as well',
    given: [conflict(), new UnreachableError('x'), conflict()],
    tries: 2,
    want: 1,
  },
  'C-10 FieldManager': {
    reason: 'a field manager conflict is not retried',
    given: [fieldManager],
    tries: 1,
    want: 0,
  },
  Bug: { reason: 'a bug is not retried', given: [new TypeError('x')], tries: 1, want: 0 },
};

describe('retryOnConflict', () => {
  it.each(casesOf(conflicts))('%s', async (_, { given, tries, want }) => {
    const { calls, attempt } = failing(given);
    const outcome = await settled(retryOnConflict(attempt));
    expect(outcome).toBe(want === 'done' ? 'done' : given[want]);
    expect(calls.map(({ argument }) => argument)).toEqual(
      Array.from({ length: tries }, (_none, at) => at + 1),
    );
  });

  it('waits about 10 ms between tries, never none', async () => {
    const { calls, attempt } = failing([conflict(), conflict(), conflict(), conflict()]);
    await settled(retryOnConflict(attempt));
    const waits = calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? 0));
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(10);
      expect(wait).toBeLessThanOrEqual(11);
    }
  });
});

const transients: Record<string, Case> = {
  'C-10 None': { reason: 'one call suffices', given: [], tries: 1, want: 'done' },
  'C-10 Unreachable': {
    reason: 'the connection was lost, or the server is not ready',
    given: [new UnreachableError('x'), kubeError(503, 'ServiceUnavailable')],
    tries: 3,
    want: 'done',
  },
  'C-10 Always': {
    reason: 'after five attempts the last error is thrown unchanged',
    given: Array.from({ length: 9 }, () => kubeError(500, 'InternalError')),
    tries: 5,
    want: 4,
  },
  'C-10 Invalid': {
    reason: 'a refusal is not retried',
    given: [kubeError(422, 'Invalid')],
    tries: 1,
    want: 0,
  },
  'C-10 Conflict': {
    reason: 'a conflict is planned again, not sent again',
    given: [conflict()],
    tries: 1,
    want: 0,
  },
  'C-10 Deadline': {
    reason: 'the deadline of the run has passed',
    given: [new DeadlineError('x')],
    tries: 1,
    want: 0,
  },
  'C-10 DeniedOnce': {
    reason: 'an authorizer may not have loaded its rules yet',
    given: [denied()],
    tries: 2,
    want: 'done',
  },
  'C-10 DeniedTwice': {
    reason: 'a permission that is missing is reported after two tries',
    given: [denied(), denied()],
    tries: 2,
    want: 1,
  },
  'C-10 Quota': {
    reason: 'what admission forbids is not retried',
    given: [kubeError(403, 'Forbidden')],
    tries: 1,
    want: 0,
  },
  Bug: { reason: 'a bug is not retried', given: [new SyntaxError('x')], tries: 1, want: 0 },
};

describe('retryTransient', () => {
  it.each(casesOf(transients))('%s', async (_, { given, tries, want }) => {
    const { calls, attempt } = failing(given);
    const outcome = await settled(retryTransient(attempt, { deadline: later }));
    expect(outcome).toBe(want === 'done' ? 'done' : given[want]);
    expect(calls.length).toBe(tries);
  });

  const onceFailed = async (error: unknown, deadline: number) => {
    const { calls, attempt } = failing([error]);
    const outcome = await settled(retryTransient(attempt, { deadline }));
    return { outcome, at: calls.map(({ at }) => at) };
  };

  it('C-10 waits as long as the server requests', async () => {
    const { outcome, at } = await onceFailed(busy(3_000), later);
    expect(outcome).toBe('done');
    expect(at[1]).toBeGreaterThanOrEqual(3_000);
    expect(at[1]).toBeLessThanOrEqual(3_300);
  });

  it('C-10 waits about a second before it repeats a denied request', async () => {
    const { at } = await onceFailed(denied(), later);
    expect(at[1]).toBeGreaterThanOrEqual(1_000);
    expect(at[1]).toBeLessThanOrEqual(1_300);
  });

  it('C-10 does not wait beyond the deadline, and the error has the reason', async () => {
    const error = busy(3_000);
    expect(await onceFailed(error, start + 2_000)).toEqual({ outcome: error, at: [0] });
    expect(Date.now() - start).toBe(0);
  });

  it('C-10 waits a little if the server names no delay', async () => {
    const { at } = await onceFailed(busy(), later);
    expect(at[1]).toBeGreaterThanOrEqual(100);
    expect(at[1]).toBeLessThanOrEqual(200);
  });

  it('C-10 stops once the deadline has passed', async () => {
    const { calls, attempt } = failing(Array.from({ length: 9 }, () => busy()));
    await settled(retryTransient(attempt, { deadline: start + 250 }));
    expect(calls.length).toBeLessThan(5);
  });
});
