import { expect, it } from 'vitest';
import { MalformedError } from '../../shared/audit/json-text.ts';
import {
  CredentialsError,
  DeadlineError,
  KubeError,
  OversizedError,
  UnreachableError,
} from '../../shared/cluster/cluster-errors.ts';
import { failureOf, listsFailed, RequestFailure } from '../../shared/controller/request-errors.ts';

it.each([
  ['its own kind', new RequestFailure('busy', 'x', { isLogged: true }), 'busy', true],
  ['a body that cannot be read', new MalformedError('x'), 'invalid', false],
  ['a cluster that cannot be reached', new UnreachableError('x'), 'transient', false],
  ['an API server that refuses', new KubeError('x', { code: 403, status: {} }), 'transient', false],
  ['unavailable credentials', new CredentialsError('x'), 'transient', false],
  ['too little time', new DeadlineError('x'), 'transient', false],
  ['kinds that cannot be listed', listsFailed([]), 'transient', false],
  ['a response beyond the size limit', new OversizedError('x'), 'unexpected', false],
  ['our own code', new TypeError('x'), 'unexpected', false],
  ['a thrown value that is not an Error', 'x', 'unexpected', false],
])('classifies a failure of %s', (_, error, kind, isLogged) => {
  expect(failureOf(error)).toMatchObject({ kind, isLogged });
});

it('a message contains each reason why kinds could not be listed once', () => {
  const incomplete = [{ error: 'no response' }, { error: 'HTTP 403' }, { error: 'no response' }];
  expect(failureOf(listsFailed(incomplete)).message).toBe('no response; HTTP 403');
});
