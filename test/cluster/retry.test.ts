import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeadlineError, KubeError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { openSender } from '../../shared/cluster/request-sender.ts';
import { retry } from '../../shared/cluster/retry.ts';
import { casesOf } from '../support/cases.ts';

const kubeError = (code: number, reason: string, over: object = {}) =>
  new KubeError('apply Foo', { code, status: { reason }, ...over });
const conflict = () => kubeError(409, 'Conflict');
const busy = (retryAfter?: number) =>
  kubeError(429, 'TooManyRequests', retryAfter === undefined ? {} : { retryAfter });

const denied = () => kubeError(403, 'Forbidden');

const foos = { group: 'example.com', version: 'v1', kind: 'Foo', plural: 'foos' };
const start = Date.parse('2026-11-21T12:00:00Z');
const later = start + 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Fails with these errors, one after the other, then succeeds; records the times of its calls. */
function failing(errors: readonly unknown[]) {
  const calls: number[] = [];
  const attempt = async (): Promise<string> => {
    calls.push(Date.now() - start);
    const error = errors[calls.length - 1];
    if (error !== undefined) throw error;
    return 'done';
  };
  return { calls, attempt };
}

/** Sends a read over a connection whose requests do what `attempt` does. */
const sent = (attempt: () => Promise<string>, deadline: number): Promise<unknown> => {
  const send = async () => ({ value: await attempt(), bytes: 0 });
  const sender = openSender({ send, close: () => undefined }, { concurrency: 1, deadline });
  const path = '/apis/example.com/v1/namespaces/a/foos/x';
  return sender.send(foos, { method: 'GET', path, what: 'read Foo a/x' });
};

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
  Bug: { reason: 'a bug is not retried', given: [new SyntaxError('x')], tries: 1, want: 0 },
};

describe('a request', () => {
  it.each(casesOf(transients))('%s', async (_, { given, tries, want }) => {
    const { calls, attempt } = failing(given);
    const outcome = await settled(sent(attempt, later));
    expect(outcome).toBe(want === 'done' ? 'done' : given[want]);
    expect(calls.length).toBe(tries);
  });

  const onceFailed = async (error: unknown, deadline: number) => {
    const { calls, attempt } = failing([error]);
    const outcome = await settled(sent(attempt, deadline));
    return { outcome, at: calls };
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
    await settled(sent(attempt, start + 250));
    expect(calls.length).toBeLessThan(5);
  });
});

it('retry repeats after the errors that its caller calls transient, and throws the last one', async () => {
  const given = [...Array.from({ length: 9 }, conflict)];
  const { calls, attempt } = failing(given);
  const isTransient = (error: unknown): boolean => given.includes(error as KubeError);
  const outcome = await settled(retry(attempt, { deadline: later, backoffMs: 10, isTransient }));
  expect(outcome).toBe(given[4]);
  expect(calls.length).toBe(5);
});
