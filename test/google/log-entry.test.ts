import { describe, expect, it } from 'vitest';
import type { AuditRecord, Dropped } from '../../shared/audit/record.ts';
import { auditFormat, readLogEntry } from '../../shared/google/log-entry.ts';
import { type JsonFields, valueAt } from '../../shared/json.ts';
import { logEntry, samples } from '../audit/samples.ts';
import { casesOf } from '../support/cases.ts';

interface Case {
  readonly reason: string;
  readonly given: unknown;
  readonly want: Partial<AuditRecord> | Dropped;
}

const noResource = { dropped: 'not a request for a resource' };

const entries: Record<string, Case> = {
  S1: {
    reason: 'at level Metadata, the entry of a create lacks the name of the resource',
    given: samples.customResourceCreate,
    want: {
      group: 'etcd.database.coreos.com',
      version: 'v1beta2',
      plural: 'etcdbackups',
      namespace: 'test-ns',
      verb: 'create',
      user: 'system:serviceaccount:test-ns:test-sa',
      time: '2026-11-20T20:19:26.819Z',
      failed: false,
      dryRun: false,
    },
  },
  S2: {
    reason: 'the core group becomes the empty group',
    given: samples.podByController,
    want: { group: '', version: 'v1', plural: 'pods', name: 'foo-7d4b-x2k4q', failed: false },
  },
  S3: {
    reason: 'the subresource follows the name',
    given: samples.podStatusByKubelet,
    want: { plural: 'pods', name: 'foo', subresource: 'status', verb: 'patch' },
  },
  S4: {
    reason: 'any code other than 0 is a failure',
    given: samples.podDenied,
    want: { plural: 'pods', failed: true },
  },
  S5: {
    reason: 'a built-in group has no k8s.io in resourceName',
    given: samples.deploymentPatch,
    want: { group: 'apps', plural: 'deployments', name: 'foo', userAgent: 'kubectl-edit/v1.31.0' },
  },
  S6: {
    reason: 'a Lease is an ordinary resource',
    given: samples.lease,
    want: { group: 'coordination.k8s.io', plural: 'leases', name: 'kube-scheduler' },
  },
  S7: {
    reason: 'the method ends in subresource and verb',
    given: samples.deploymentScale,
    want: { plural: 'deployments', name: 'coredns', subresource: 'scale', verb: 'update' },
  },
  S8: {
    reason: 'a read of the whole cluster has no namespace; an empty status is success',
    given: samples.nodesRead,
    want: { plural: 'nodes', verb: 'list', failed: false },
  },
  S9: {
    reason: 'a label marks a dry run',
    given: samples.podDryRun,
    want: { plural: 'pods', dryRun: true },
  },
  Namespace: {
    reason: 'the path of a Namespace has no plural after its name',
    given: logEntry({
      method: 'io.k8s.core.v1.namespaces.delete',
      resource: 'core/v1/namespaces/test-ns',
    }),
    want: { plural: 'namespaces', namespace: 'test-ns', name: 'test-ns', verb: 'delete' },
  },
  NamespaceFinalize: {
    reason: 'the part that looks like a plural is a subresource',
    given: logEntry({
      method: 'io.k8s.core.v1.namespaces.finalize.update',
      resource: 'core/v1/namespaces/test-ns/finalize',
    }),
    want: { plural: 'namespaces', name: 'test-ns', subresource: 'finalize' },
  },
  NamespaceStatus: {
    reason: 'the status of a Namespace looks like a plural as well',
    given: logEntry({
      method: 'io.k8s.core.v1.namespaces.status.update',
      resource: 'core/v1/namespaces/test-ns/status',
    }),
    want: { plural: 'namespaces', name: 'test-ns', subresource: 'status' },
  },
  DryRunOfDelete: {
    reason: 'the body of a deletion may override its query',
    given: logEntry({
      method: 'io.k8s.core.v1.pods.delete',
      resource: 'core/v1/namespaces/default/pods/foo',
      entry: { labels: { 'command.gke.io/dryRun': 'All' } },
    }),
    want: { verb: 'delete', dryRun: false },
  },
  PartlyDeleted: {
    reason: 'the objects before the one that failed were deleted',
    given: logEntry({
      method: 'com.example.v1.foos.deletecollection',
      resource: 'example.com/v1/namespaces/a/foos',
      status: { code: 10, message: 'Operation cannot be fulfilled' },
      entry: { labels: { 'authorization.k8s.io/decision': 'allow' } },
    }),
    want: { verb: 'deletecollection', failed: false },
  },
  NotShown: {
    reason: 'the write was stored; only the response format was refused',
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
    reason: 'a missing identity becomes empty',
    given: logEntry({
      method: 'com.example.v1.foos.create',
      resource: 'example.com/v1/namespaces/a/foos/x',
      payload: { authenticationInfo: {} },
    }),
    want: { user: '' },
  },
  RbacQuirk: {
    reason: 'resourceName contains the unchanged group',
    given: logEntry({
      method: 'io.k8s.authorization.rbac.v1.clusterroles.create',
      resource: 'rbac.authorization.k8s.io/v1/clusterroles/system:x',
    }),
    want: { group: 'rbac.authorization.k8s.io', plural: 'clusterroles', name: 'system:x' },
  },
  LaterPart: {
    reason: 'later parts of a split entry are dropped, because the first contains everything',
    given: logEntry({
      method: 'com.example.v1.foos.create',
      resource: 'example.com/v1/namespaces/a/foos/x',
      entry: { split: { uid: 'u', index: 1, totalSplits: 2 } },
    }),
    want: { dropped: 'later part of a split entry' },
  },
  FirstPart: {
    reason: 'the index of the first part may be missing',
    given: logEntry({
      method: 'com.example.v1.foos.create',
      resource: 'example.com/v1/namespaces/a/foos/x',
      entry: { split: { uid: 'u', totalSplits: 2 } },
    }),
    want: { plural: 'foos', namespace: 'a', name: 'x' },
  },
  Healthz: {
    reason: 'a request for a path concerns no resource',
    given: logEntry({ method: 'io.k8s.get', resource: 'readyz' }),
    want: noResource,
  },
  Discovery: {
    reason: 'a discovery path looks like a resource',
    given: logEntry({ method: 'io.k8s.get', resource: 'apis/apps/v1' }),
    want: noResource,
  },
  ClusterAdmin: {
    reason: 'another log stream is about the cluster itself',
    given: logEntry({
      method: 'google.container.v1.ClusterManager.UpdateCluster',
      resource: 'projects/demo/zones/z/clusters/main',
      payload: { serviceName: 'container.googleapis.com' },
    }),
    want: { dropped: 'not a k8s.io audit entry' },
  },
};

describe('readLogEntry', () => {
  it.each(casesOf(entries))('%s', (_, { given, want }) => {
    expect(readLogEntry(given)).toMatchObject(want);
  });

  it('omits unknown fields', () => {
    expect(readLogEntry(samples.customResourceCreate)).toStrictEqual(entries.S1?.want);
  });
});

const clusters: Record<
  string,
  { reason: string; given?: JsonFields; name: string; want: boolean }
> = {
  Name: { reason: 'the name alone matches', name: 'main', want: true },
  Path: { reason: 'project, location and name match', name: 'demo/us-central1/main', want: true },
  OtherName: { reason: 'another name does not match', name: 'other', want: false },
  OtherProject: {
    reason: 'a cluster of that name in another project does not match',
    name: 'b/us-central1/main',
    want: false,
  },
  OtherLocation: {
    reason: 'a cluster of that name in another location does not match',
    name: 'demo/x/main',
    want: false,
  },
  NoLabels: {
    reason: 'an entry without labels matches no cluster',
    given: { protoPayload: {} },
    name: 'main',
    want: false,
  },
};

describe('the cluster of an entry', () => {
  it.each(casesOf(clusters))('%s', (_, { given, name, want }) => {
    const entry = auditFormat(given ?? samples.deploymentPatch);
    expect(valueAt(entry, 'clusters')).toEqual(
      want ? expect.arrayContaining([name]) : expect.not.arrayContaining([name]),
    );
  });
});
