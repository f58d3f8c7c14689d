import { describe, expect, it } from 'vitest';
import { readEnvelope } from '../../shared/audit/envelope.ts';
import {
  type AuditRecord,
  type Dropped,
  isCluster,
  readAuditEvent,
  readLogEntry,
  recordsOf,
} from '../../shared/audit/record.ts';
import { auditEvent, eventList, logEntry, samples } from './samples.ts';

interface Case {
  readonly reason: string;
  readonly given: unknown;
  readonly want: Partial<AuditRecord> | Dropped;
}

const noResource = { dropped: 'not a request for a resource' };

const entries: Record<string, Case> = {
  S1: {
    reason: 'a custom resource at level Metadata, created without its name',
    given: samples.customResourceCreate,
    want: {
      group: 'etcd.database.coreos.com',
      version: 'v1beta2',
      plural: 'etcdbackups',
      namespace: 'test-ns',
      verb: 'create',
      user: 'system:serviceaccount:test-ns:test-sa',
      time: '2026-11-20T20:19:26.819Z',
      id: '230ba8alnweli',
      failed: false,
      dryRun: false,
    },
  },
  S2: {
    reason: 'the core group is empty',
    given: samples.podByController,
    want: { group: '', version: 'v1', plural: 'pods', name: 'foo-7d4b-x2k4q', failed: false },
  },
  S3: {
    reason: 'a subresource',
    given: samples.podStatusByKubelet,
    want: { plural: 'pods', name: 'foo', subresource: 'status', verb: 'patch' },
  },
  S4: {
    reason: 'any code but 0 is a failure',
    given: samples.podDenied,
    want: { plural: 'pods', failed: true },
  },
  S5: {
    reason: 'a built-in group has no k8s.io in resourceName',
    given: samples.deploymentPatch,
    want: { group: 'apps', plural: 'deployments', name: 'foo', userAgent: 'kubectl-edit/v1.31.0' },
  },
  S6: {
    reason: 'a lease',
    given: samples.lease,
    want: { group: 'coordination.k8s.io', plural: 'leases', name: 'kube-scheduler' },
  },
  S7: {
    reason: 'the verb follows the subresource',
    given: samples.deploymentScale,
    want: { plural: 'deployments', name: 'coredns', subresource: 'scale', verb: 'update' },
  },
  S8: {
    reason: 'a cluster-wide read; an empty status is success',
    given: samples.nodesRead,
    want: { plural: 'nodes', verb: 'list', failed: false },
  },
  S9: { reason: 'a dry run', given: samples.podDryRun, want: { plural: 'pods', dryRun: true } },
  Namespace: {
    reason: 'the path of a Namespace has no plural after the name',
    given: logEntry({
      method: 'io.k8s.core.v1.namespaces.delete',
      resource: 'core/v1/namespaces/test-ns',
    }),
    want: { plural: 'namespaces', namespace: 'test-ns', name: 'test-ns', verb: 'delete' },
  },
  NamespaceFinalize: {
    reason: 'what looks like a plural is a subresource',
    given: logEntry({
      method: 'io.k8s.core.v1.namespaces.finalize.update',
      resource: 'core/v1/namespaces/test-ns/finalize',
    }),
    want: { plural: 'namespaces', name: 'test-ns', subresource: 'finalize' },
  },
  NamespaceStatus: {
    reason: 'so does this one',
    given: logEntry({
      method: 'io.k8s.core.v1.namespaces.status.update',
      resource: 'core/v1/namespaces/test-ns/status',
    }),
    want: { plural: 'namespaces', name: 'test-ns', subresource: 'status' },
  },
  DryRunOfDelete: {
    reason: 'a body may have replaced the query',
    given: logEntry({
      method: 'io.k8s.core.v1.pods.delete',
      resource: 'core/v1/namespaces/default/pods/foo',
      entry: { labels: { 'command.gke.io/dryRun': 'All' } },
    }),
    want: { verb: 'delete', dryRun: false },
  },
  PartlyDeleted: {
    reason: 'a collection is deleted up to the object that fails',
    given: logEntry({
      method: 'com.example.v1.foos.deletecollection',
      resource: 'example.com/v1/namespaces/a/foos',
      status: { code: 10, message: 'Operation cannot be fulfilled' },
      entry: { labels: { 'authorization.k8s.io/decision': 'allow' } },
    }),
    want: { verb: 'deletecollection', failed: false },
  },
  NotShown: {
    reason: 'stored, but not to be shown as asked for',
    given: logEntry({
      method: 'com.example.v1.foos.create',
      resource: 'example.com/v1/namespaces/a/foos/x',
      status: { code: 9 },
      entry: { labels: { 'authorization.k8s.io/decision': 'allow' } },
    }),
    want: { failed: false },
  },
  CodeAsText: {
    reason: 'protobuf JSON may write a number as a string',
    given: logEntry({
      method: 'com.example.v1.foos.create',
      resource: 'example.com/v1/namespaces/a/foos/x',
      status: { code: '0' },
    }),
    want: { failed: false },
  },
  NoPrincipal: {
    reason: 'an identity missing from the log is empty',
    given: logEntry({
      method: 'com.example.v1.foos.create',
      resource: 'example.com/v1/namespaces/a/foos/x',
      payload: { authenticationInfo: {} },
    }),
    want: { user: '' },
  },
  RbacQuirk: {
    reason: 'resourceName has the group as it is',
    given: logEntry({
      method: 'io.k8s.authorization.rbac.v1.clusterroles.create',
      resource: 'rbac.authorization.k8s.io/v1/clusterroles/system:x',
    }),
    want: { group: 'rbac.authorization.k8s.io', plural: 'clusterroles', name: 'system:x' },
  },
  LaterPart: {
    reason: 'the first part contains everything',
    given: logEntry({
      method: 'com.example.v1.foos.create',
      resource: 'example.com/v1/namespaces/a/foos/x',
      entry: { split: { uid: 'u', index: 1, totalSplits: 2 } },
    }),
    want: { dropped: 'later part of an entry' },
  },
  FirstPart: {
    reason: 'an index of 0 may be left out',
    given: logEntry({
      method: 'com.example.v1.foos.create',
      resource: 'example.com/v1/namespaces/a/foos/x',
      entry: { split: { uid: 'u', totalSplits: 2 } },
    }),
    want: { plural: 'foos', namespace: 'a', name: 'x' },
  },
  Healthz: {
    reason: 'a call for no resource',
    given: logEntry({ method: 'io.k8s.get', resource: 'readyz' }),
    want: noResource,
  },
  Discovery: {
    reason: 'a path that looks like a resource',
    given: logEntry({ method: 'io.k8s.get', resource: 'apis/apps/v1' }),
    want: noResource,
  },
  ClusterAdmin: {
    reason: 'another stream about the same clusters',
    given: logEntry({
      method: 'google.container.v1.ClusterManager.UpdateCluster',
      resource: 'projects/demo/zones/z/clusters/main',
      payload: { serviceName: 'container.googleapis.com' },
    }),
    want: { dropped: 'not an entry of k8s.io' },
  },
};

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

describe('readLogEntry', () => {
  it.each(Object.entries(entries))('%s', (_, { reason, given, want }) => {
    expect(readLogEntry(given), reason).toMatchObject(want);
  });

  it('leaves out what is unknown', () => {
    expect(readLogEntry(samples.customResourceCreate)).toStrictEqual(entries.S1?.want);
    expect(readAuditEvent(auditEvent())).toStrictEqual(events.Patch?.want);
  });
});

describe('readAuditEvent', () => {
  it.each(Object.entries(events))('%s', (_, { reason, given, want }) => {
    expect(readAuditEvent(given), reason).toMatchObject(want);
  });
});

const clusters: Record<string, { reason: string; given?: object; name: string; want: boolean }> = {
  Name: { reason: 'by its name alone', name: 'main', want: true },
  Path: { reason: 'with project and location', name: 'demo/us-central1/main', want: true },
  OtherName: { reason: 'another cluster', name: 'other', want: false },
  OtherProject: {
    reason: 'a cluster of that name in another place',
    name: 'b/us-central1/main',
    want: false,
  },
  OtherLocation: {
    reason: 'a cluster of that name in another place',
    name: 'demo/x/main',
    want: false,
  },
  NoLabels: { reason: 'an entry without a cluster', given: {}, name: 'main', want: false },
};

describe('isCluster', () => {
  it.each(Object.entries(clusters))('%s', (_, { reason, given, name, want }) => {
    expect(isCluster(given ?? samples.deploymentPatch, name), reason).toBe(want);
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

describe('recordsOf', () => {
  it('reads each entry of a batch separately', () => {
    expect([...recordsOf(readEnvelope(eventList(auditEvent(), 5)))]).toMatchObject([
      { plural: 'deployments' },
      { dropped: 'not at stage ResponseComplete' },
    ]);
    expect([...recordsOf(readEnvelope(samples.deploymentPatch))]).toMatchObject([{ name: 'foo' }]);
    expect([...recordsOf(readEnvelope({ version: 1, scope: {} }))]).toEqual([]);
  });
});
