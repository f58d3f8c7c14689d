import { describe, expect, it } from 'vitest';
import { type AuditRecord, type Dropped, readAuditEvent } from '../../shared/audit/record.ts';
import { auditEvent } from './samples.ts';

interface Case {
  readonly reason: string;
  readonly given: unknown;
  readonly want: Partial<AuditRecord> | Dropped;
}

const noResource = { dropped: 'not a request for a resource' };

const events: Record<string, Case> = {
  Patch: {
    reason: 'all parts',
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
      id: 'b5b0e5a6-6b67-4c4a-9f0c-0f6d1c3f0a11',
      failed: false,
      dryRun: false,
    },
  },
  CoreWithoutName: {
    reason: 'generateName: neither group nor name',
    given: auditEvent({
      verb: 'create',
      objectRef: { resource: 'services', namespace: 'default', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
    }),
    want: { group: '', plural: 'services', namespace: 'default', verb: 'create', failed: false },
  },
  DryRun: {
    reason: 'only the URL names the object',
    given: auditEvent({ requestURI: '/apis/x/y?fieldManager=a&dryRun=All' }),
    want: { dryRun: true },
  },
  Conflict: {
    reason: 'a refused write',
    given: auditEvent({ responseStatus: { code: 409, message: 'modified' } }),
    want: { failed: true },
  },
  NotShown: {
    reason: 'stored, but not to be shown as asked for: only the code is logged',
    given: auditEvent({ responseStatus: { metadata: {}, code: 406 } }),
    want: { failed: false },
  },
  TimedOut: {
    reason: 'stored after the time that the client set',
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
    reason: 'stored though its client did not wait',
    given: auditEvent({ responseStatus: { code: 500, message: 'context canceled' } }),
    want: { failed: false },
  },
  WebhookTimedOut: {
    reason: 'refused, and lasting',
    given: auditEvent({
      responseStatus: { code: 500, message: 'failed calling webhook: context deadline exceeded' },
    }),
    want: { failed: true },
  },
  ServerError: {
    reason: 'a lasting one would lead to run after run',
    given: auditEvent({ responseStatus: { code: 500, message: 'failed calling webhook' } }),
    want: { failed: true },
  },
  PartlyDeleted: {
    reason: 'a collection is deleted up to the object that fails',
    given: auditEvent({
      verb: 'deletecollection',
      responseStatus: { code: 409, message: 'Operation cannot be fulfilled' },
    }),
    want: { failed: false },
  },
  Forbidden: {
    reason: 'refused before anything happened',
    given: auditEvent({
      verb: 'deletecollection',
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
      responseStatus: { code: 403, message: 'forbidden' },
    }),
    want: { failed: true },
  },
  TooManyRequests: {
    reason: 'refused before it was authorized, which is logged without a message, too',
    given: auditEvent({ annotations: {}, responseStatus: { code: 429 } }),
    want: { failed: true },
  },
  Impersonated: {
    reason: 'the user is the impersonated one',
    given: auditEvent({ impersonatedUser: { username: 'system:serviceaccount:a:b' } }),
    want: { user: 'system:serviceaccount:a:b' },
  },
  ImpersonatedByNoName: {
    reason: 'an empty name is none',
    given: auditEvent({ impersonatedUser: { username: '' } }),
    want: { user: 'jane' },
  },
  Anonymous: {
    reason: 'neither user nor object is known',
    given: auditEvent({ user: undefined, verb: undefined }),
    want: { user: '', verb: '' },
  },
  BadRequest: {
    reason: 'the lowest code of a failure',
    given: auditEvent({ responseStatus: { code: 400, message: 'no name' } }),
    want: { failed: true },
  },
  CodeIsText: {
    reason: 'a code that is not a number is no success',
    given: auditEvent({ responseStatus: { code: '200' } }),
    want: { failed: true },
  },
  Subresource: {
    reason: 'part of the reference',
    given: auditEvent({
      objectRef: { resource: 'foos', name: 'x', subresource: 'status', apiVersion: 'v1' },
    }),
    want: { plural: 'foos', subresource: 'status' },
  },
  NoVersion: {
    reason: 'half a reference',
    given: auditEvent({ objectRef: { resource: 'deployments', apiGroup: 'apps' } }),
    want: noResource,
  },
  NoPlural: {
    reason: 'the other half',
    given: auditEvent({ objectRef: { apiGroup: 'apps', apiVersion: 'v1' } }),
    want: noResource,
  },
  EarlierStage: {
    reason: 'a request is audited at several stages',
    given: auditEvent({ stage: 'RequestReceived' }),
    want: { dropped: 'not at stage ResponseComplete' },
  },
  NoResource: {
    reason: 'a call for a path',
    given: auditEvent({ objectRef: undefined, requestURI: '/readyz' }),
    want: noResource,
  },
};

describe('readAuditEvent', () => {
  it.each(Object.entries(events))('%s', (_, { reason, given, want }) => {
    expect(readAuditEvent(given), reason).toMatchObject(want);
  });

  it('leaves out what is unknown', () => {
    expect(readAuditEvent(auditEvent())).toStrictEqual(events.Patch?.want);
  });
});

describe('a request', () => {
  const path = '/apis/apps/v1/namespaces/default/deployments/foo';
  // What kube-apiserver 1.36.3 makes of them, and Go of a query with too many parameters.
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
  ])('is a dry run only if that is certain: %.40s %s', (query, dryRun) => {
    const requestURI = `${path}${query}`;
    for (const verb of ['create', 'update', 'patch'])
      expect(readAuditEvent(auditEvent({ verb, requestURI }))).toMatchObject({ dryRun });
    // A body, which the log does not have, replaces the query of a delete.
    for (const verb of ['delete', 'deletecollection'])
      expect(readAuditEvent(auditEvent({ verb, requestURI }))).toMatchObject({ dryRun: false });
  });
});
