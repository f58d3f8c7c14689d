import { expect, it } from 'vitest';
import {
  CredentialsError,
  DeadlineError,
  KubeError,
  OversizedError,
  UnreachableError,
} from '../../shared/cluster/cluster-errors.ts';
import {
  BusyError,
  ClustersFailedError,
  failureOf,
  InvalidRequestError,
  ListsFailedError,
  SharedError,
  UnfinishedError,
} from '../../shared/controller/request-errors.ts';

it.each([
  ['the request itself', new InvalidRequestError('x'), 'invalid', false],
  ['a full queue', new BusyError('x'), 'busy', false],
  ['a cluster that cannot be reached', new UnreachableError('x'), 'transient', false],
  ['an API server that refuses', new KubeError('x', { code: 403, status: {} }), 'transient', false],
  ['credentials that cannot be had', new CredentialsError('x'), 'transient', false],
  ['too little time', new DeadlineError('x'), 'transient', false],
  ['kinds that cannot be listed', new ListsFailedError([]), 'transient', false],
  ['a run that ended early', new UnfinishedError('x'), 'transient', false],
  ['a run of another request, which is logged there', new SharedError('x'), 'transient', true],
  ['all clusters, each of them logged', new ClustersFailedError('x'), 'transient', true],
  ['an answer beyond the size limit', new OversizedError('x'), 'unexpected', false],
  ['a mistake of ours', new TypeError('x'), 'unexpected', false],
  ['what is no error', 'x', 'unexpected', false],
])('the failure of %s', (_, error, kind, isLogged) => {
  expect(failureOf(error)).toMatchObject({ kind, isLogged });
});

it('says once why the kinds could not be listed', () => {
  const incomplete = [{ error: 'no answer' }, { error: 'HTTP 403' }, { error: 'no answer' }];
  expect(failureOf(new ListsFailedError(incomplete)).message).toBe('no answer; HTTP 403');
});
