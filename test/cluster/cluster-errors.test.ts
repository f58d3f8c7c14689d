import { describe, expect, it } from 'vitest';
import {
  DeadlineError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isInvalid,
  isNotFound,
  isTransient,
  KubeError,
  messageOf,
  UnreachableError,
} from '../../shared/cluster/cluster-errors.ts';
import { present } from '../../shared/json.ts';
import type { StatusCause } from '../../shared/kubernetes.ts';
import { casesOf } from '../support/cases.ts';

const checks = { isAlreadyExists, isConflict, isExpired, isInvalid, isNotFound, isTransient };
type Meaning = keyof typeof checks;

const kubeError = (code: number, reason?: string, causes?: readonly StatusCause[]) =>
  new KubeError('apply Deployment default/shop', {
    code,
    status: {
      message: 'no',
      ...present({ reason }),
      ...(causes === undefined ? {} : { details: { causes } }),
    },
  });

const cases: Record<string, { reason: string; given: unknown; want: readonly Meaning[] }> = {
  'C-10 StaleVersion': {
    reason: 'another writer was faster',
    given: kubeError(409, 'Conflict'),
    want: ['isConflict'],
  },
  'C-10 UidMismatch': {
    reason: 'the object is gone, which has the same reason and is read again as well',
    given: kubeError(409, 'Conflict', []),
    want: ['isConflict'],
  },
  'C-10 FieldManagerConflict': {
    reason: 'another manager owns the field, so reading again does not help',
    given: kubeError(409, 'Conflict', [
      { reason: 'FieldManagerConflict', field: '.spec.replicas' },
    ]),
    want: [],
  },
  'C-10 AlreadyExists': {
    reason: 'only a POST gets it, and the Event is already stored',
    given: kubeError(409, 'AlreadyExists'),
    want: ['isAlreadyExists'],
  },
  'C-10 UnknownConflict': {
    reason: 'a 409 with an unknown reason has no known meaning',
    given: kubeError(409, 'Odd'),
    want: [],
  },
  NotFound: {
    reason: 'the object is gone',
    given: kubeError(404, 'NotFound'),
    want: ['isNotFound'],
  },
  Expired: {
    reason: 'the continue token of a list has expired',
    given: kubeError(410, 'Expired'),
    want: ['isExpired'],
  },
  Gone: {
    reason: 'older servers use this reason',
    given: kubeError(410, 'Gone'),
    want: ['isExpired'],
  },
  'C-10 Invalid': {
    reason: 'a retry cannot succeed',
    given: kubeError(422, 'Invalid'),
    want: ['isInvalid'],
  },
  'C-10 Forbidden': {
    reason: 'a retry cannot succeed',
    given: kubeError(403, 'Forbidden'),
    want: [],
  },
  'C-10 TooManyRequests': {
    reason: 'a later retry may succeed',
    given: kubeError(429, 'TooManyRequests'),
    want: ['isTransient'],
  },
  'C-10 Timeout': {
    reason: 'a later retry may succeed',
    given: kubeError(408),
    want: ['isTransient'],
  },
  'C-10 InternalError': {
    reason: 'a later retry may succeed',
    given: kubeError(500, 'InternalError'),
    want: ['isTransient'],
  },
  'C-10 Repeated': {
    reason: 'an object that the server cannot process stays so, whatever the code',
    given: Object.assign(kubeError(500), { repeated: true }),
    want: [],
  },
  'C-10 Unavailable': {
    reason: 'a later retry may succeed',
    given: kubeError(503),
    want: ['isTransient'],
  },
  'C-10 Unreachable': {
    reason: 'a later retry may succeed',
    given: new UnreachableError('no response'),
    want: ['isTransient'],
  },
  Deadline: { reason: 'this run has no time left', given: new DeadlineError('over'), want: [] },
  Bug: { reason: 'an unknown error has no known meaning', given: new TypeError('x'), want: [] },
  NoError: { reason: 'anything may be thrown', given: 'text', want: [] },
};

describe('errors', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    const meanings = Object.entries(checks).flatMap(([name, check]) =>
      check(given) ? [name] : [],
    );
    expect(meanings).toEqual(want);
  });

  it('contain the request, the reason and the server’s message', () => {
    expect(kubeError(422, 'Invalid').message).toBe(
      'cannot apply Deployment default/shop: Invalid: no',
    );
    expect(new KubeError('list foos', { code: 418, status: {} }).message).toBe(
      'cannot list foos: HTTP 418',
    );
    const status = { reason: 'Unauthorized', message: 'Unauthorized' };
    expect(new KubeError('list foos', { code: 401, status }).message).toBe(
      'cannot list foos: Unauthorized',
    );
  });

  it('have a message whatever was thrown', () => {
    expect([messageOf(new Error('a')), messageOf('b'), messageOf(undefined)]).toEqual([
      'a',
      'b',
      'undefined',
    ]);
  });
});

describe('a refusal with several causes', () => {
  const first = { field: 'spec.a', message: 'Required value' };
  const second = { field: 'spec.b', message: 'Invalid value: 7' };
  const refusal = (causes: readonly object[]): string => {
    const details = { kind: 'Deployment', group: 'apps', name: 'shop', causes };
    const status = { reason: 'Invalid', message: 'as the server says it', details };
    return new KubeError('apply it', { code: 422, status }).message;
  };

  it('has the same message in whatever order the server names them', () => {
    const text =
      'Deployment.apps "shop" is invalid: [spec.a: Required value, spec.b: Invalid value: 7]';
    expect(refusal([first, second])).toBe(`cannot apply it: Invalid: ${text}`);
    expect(refusal([second, first])).toBe(refusal([first, second]));
  });

  it("keeps the server's message if there is only one", () => {
    expect(refusal([first])).toBe('cannot apply it: Invalid: as the server says it');
  });

  it('adds what a webhook says only in causes without a field', () => {
    const causes = [
      first,
      { message: 'rule 2' },
      { message: 'rule 1' },
      { message: 'server says' },
    ];
    expect(refusal(causes)).toBe('cannot apply it: Invalid: as the server says it; rule 1; rule 2');
  });
});

it("an error has the same message for every port of the API server's connection to a webhook", () => {
  const failure = (port: number): string => {
    const message = `failed calling webhook "a": read tcp 127.0.0.1:${port}->127.0.0.1:443: connection reset; read udp 127.0.0.1:${port}->127.0.0.1:53: i/o timeout`;
    return new KubeError('apply it', { code: 500, status: { reason: 'InternalError', message } })
      .message;
  };
  expect(failure(55_728)).toContain('read tcp 127.0.0.1->127.0.0.1:443: connection reset');
  expect(failure(55_729)).toBe(failure(55_728));
});
