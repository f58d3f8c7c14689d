import { describe, expect, it } from 'vitest';
import { type AuditRecord, type Dropped, readAuditEvent } from '../../shared/audit/record.ts';
import { casesOf } from '../support/cases.ts';
import { auditEvent } from './samples.ts';

interface Case {
  readonly reason: string;
  readonly given: unknown;
  readonly want: Partial<AuditRecord> | Dropped;
}

const noResource = { dropped: 'not a request for a resource' };

const events: Record<string, Case> = {
  Patch: {
    reason: 'all fields are read',
    given: auditEvent(),
    want: {
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      namespace: 'default',
      name: 'foo',
      verb: 'patch',
      user: 'jane',
      userAgent: 'kubectl/v1.36.3',
      time: '2026-11-20T20:19:26.819000Z',
      failed: false,
      dryRun: false,
    },
  },
  CoreWithoutName: {
    reason: 'a create with generateName has no name, and the core group is empty',
    given: auditEvent({
      verb: 'create',
      objectRef: { resource: 'services', namespace: 'default', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
    }),
    want: { group: '', plural: 'services', namespace: 'default', verb: 'create', failed: false },
  },
  DryRun: {
    reason: 'a dry run is marked only in the request URL',
    given: auditEvent({ requestURI: '/apis/x/y?fieldManager=a&dryRun=All' }),
    want: { dryRun: true },
  },
  Conflict: {
    reason: 'a conflict wrote nothing',
    given: auditEvent({ responseStatus: { code: 409, message: 'modified' } }),
    want: { failed: true },
  },
  NotShown: {
    reason: 'a 406 without a message refuses only the format of the response; the write was stored',
    given: auditEvent({ responseStatus: { metadata: {}, code: 406 } }),
    want: { failed: false },
  },
  TimedOut: {
    reason: 'a timeout does not mean that the write was not stored',
    given: auditEvent({
      responseStatus: {
        code: 504,
        message:
          'Timeout: request did not complete within requested timeout - context deadline exceeded',
      },
    }),
    want: { failed: false },
  },
  ClientGone: {
    reason: 'the client disconnected, but the write may have been stored',
    given: auditEvent({ responseStatus: { code: 500, message: 'context canceled' } }),
    want: { failed: false },
  },
  WebhookTimedOut: {
    reason: 'a failed webhook refuses the write, whatever its message is',
    given: auditEvent({
      responseStatus: { code: 500, message: 'failed calling webhook: context deadline exceeded' },
    }),
    want: { failed: true },
  },
  ServerError: {
    reason: 'a request that fails again and again with 500 must not start a run each time',
    given: auditEvent({ responseStatus: { code: 500, message: 'failed calling webhook' } }),
    want: { failed: true },
  },
  PartlyDeleted: {
    reason: 'a deletecollection that failed has deleted some objects',
    given: auditEvent({
      verb: 'deletecollection',
      responseStatus: { code: 409, message: 'Operation cannot be fulfilled' },
    }),
    want: { failed: false },
  },
  Forbidden: {
    reason: 'a deletecollection that was refused has deleted nothing',
    given: auditEvent({
      verb: 'deletecollection',
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
      responseStatus: { code: 403, message: 'forbidden' },
    }),
    want: { failed: true },
  },
  TooManyRequests: {
    reason: 'a request refused before authorization has no message either',
    given: auditEvent({ annotations: {}, responseStatus: { code: 429 } }),
    want: { failed: true },
  },
  Impersonated: {
    reason: 'the impersonated user is the author',
    given: auditEvent({ impersonatedUser: { username: 'system:serviceaccount:a:b' } }),
    want: { user: 'system:serviceaccount:a:b' },
  },
  ImpersonatedByNoName: {
    reason: 'an empty impersonated name is ignored',
    given: auditEvent({ impersonatedUser: { username: '' } }),
    want: { user: 'jane' },
  },
  Anonymous: {
    reason: 'a missing user and verb are empty',
    given: auditEvent({ user: undefined, verb: undefined }),
    want: { user: '', verb: '' },
  },
  BadRequest: {
    reason: '400 is the lowest status code of a failure',
    given: auditEvent({ responseStatus: { code: 400, message: 'no name' } }),
    want: { failed: true },
  },
  CodeIsText: {
    reason: 'a status code that is not a number is not a success',
    given: auditEvent({ responseStatus: { code: '200' } }),
    want: { failed: true },
  },
  Subresource: {
    reason: 'the subresource is part of the reference',
    given: auditEvent({
      objectRef: { resource: 'foos', name: 'x', subresource: 'status', apiVersion: 'v1' },
    }),
    want: { plural: 'foos', subresource: 'status' },
  },
  NoVersion: {
    reason: 'a reference without a version names no type',
    given: auditEvent({ objectRef: { resource: 'deployments', apiGroup: 'apps' } }),
    want: noResource,
  },
  NoPlural: {
    reason: 'a reference without a plural names no type',
    given: auditEvent({ objectRef: { apiGroup: 'apps', apiVersion: 'v1' } }),
    want: noResource,
  },
  EarlierStage: {
    reason: 'only the last stage of a request is read',
    given: auditEvent({ stage: 'RequestReceived' }),
    want: { dropped: 'not at stage ResponseComplete' },
  },
  NoResource: {
    reason: 'a request for a URL without an object is no event',
    given: auditEvent({ objectRef: undefined, requestURI: '/readyz' }),
    want: noResource,
  },
};

describe('readAuditEvent', () => {
  it.each(casesOf(events))('%s', (_, { given, want }) => {
    expect(readAuditEvent(given)).toMatchObject(want);
  });

  it('omits unknown fields', () => {
    expect(readAuditEvent(auditEvent())).toStrictEqual(events.Patch?.want);
  });
});

describe('isDryRun', () => {
  const path = '/apis/apps/v1/namespaces/default/deployments/foo';
  // Expected values were observed on kube-apiserver 1.36.3; Go refuses a query with too many parameters.
  it.each([
    ['?dryRun=All', true],
    ['?fieldManager=a?b&dryRun=All&dryRun=%zz', true],
    ['?dryRun=%zz', false],
    ['?dryRun=All;x', false],
    ['?x;dryRun=All', false],
    ['?dryRun=;', false],
    ['?dryRun=', false],
    ['?dryRun', false],
    ['?dryrun=All', false],
    ['?a=?dryRun=All', false],
    ['&dryRun=All', false],
    [`?dryRun=All${'&a'.repeat(999)}`, true],
    [`?dryRun=All${'&a'.repeat(1000)}`, false],
    [`?dryRun=All${'&a'.repeat(10_000)}`, false],
  ])('is true only if the URL proves it: %.40s %s', (query, dryRun) => {
    const requestURI = `${path}${query}`;
    for (const verb of ['create', 'update', 'patch'])
      expect(readAuditEvent(auditEvent({ verb, requestURI }))).toMatchObject({ dryRun });
    // The body of a delete overrides its query, and the log does not contain it.
    for (const verb of ['delete', 'deletecollection'])
      expect(readAuditEvent(auditEvent({ verb, requestURI }))).toMatchObject({ dryRun: false });
  });
});
