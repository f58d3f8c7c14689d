import { describe, expect, it } from 'vitest';
import { countsForReaders, dropReason } from '../../shared/audit/filter.ts';
import type { AuditRecord } from '../../shared/audit/record.ts';
import { readLogEntry } from '../../shared/google/log-entry.ts';
import { childTypes, kinds, samples } from './samples.ts';

const own = 'reconciler@demo.iam.gserviceaccount.com';
const foo: AuditRecord = {
  group: 'example.com',
  version: 'v1alpha1',
  plural: 'foos',
  namespace: 'default',
  name: 'foo-sample',
  verb: 'patch',
  user: 'jane@example.com',
  failed: false,
  dryRun: false,
};
const deployment = { group: 'apps', version: 'v1', plural: 'deployments' };
const configMap = { group: '', version: 'v1', plural: 'configmaps' };

const cases: Record<string, { reason: string; given: Partial<AuditRecord>; want?: string }> = {
  Resource: { reason: 'a user edits a resource', given: {} },
  Applied: { reason: 'server-side apply creates with PATCH', given: { verb: 'patch' } },
  Child: { reason: 'a user edits a child', given: deployment },
  ChildDeleted: { reason: 'a user deletes a child', given: { ...deployment, verb: 'delete' } },
  OtherVersion: { reason: 'any version counts', given: { ...deployment, version: 'v1beta1' } },
  Scale: { reason: 'kubectl scale', given: { ...deployment, subresource: 'scale' } },
  GarbageCollector: {
    reason: 'a foreground deletion ends with a patch',
    given: {
      ...deployment,
      user: 'system:serviceaccount:kube-system:generic-garbage-collector',
    },
  },
  OwnEdit: { reason: 'a pipeline edits a resource under our own identity', given: { user: own } },
  ServiceAccount: {
    reason: 'a controller outside of kube-system',
    given: { ...deployment, user: 'system:serviceaccount:argo:argo' },
  },
  OwnWrite: { reason: 'our write', given: { ...deployment, user: own }, want: 'own write' },
  OwnStatus: {
    reason: 'our status',
    given: { user: own, subresource: 'status' },
    want: 'subresource status',
  },
  Status: {
    reason: 'a status written by others',
    given: { subresource: 'status' },
    want: 'subresource status',
  },
  Read: { reason: 'a read', given: { verb: 'watch' }, want: 'not a write' },
  NoVerb: { reason: 'an entry without a verb', given: { verb: '' }, want: 'not a write' },
  Failed: { reason: 'nothing changed', given: { failed: true }, want: 'failed' },
  DryRun: { reason: 'nothing changed', given: { dryRun: true }, want: 'dry run' },
  Pod: {
    reason: 'no kind owns one',
    given: { group: '', plural: 'pods' },
    want: 'another type',
  },
  SamePlural: {
    reason: 'another group',
    given: { group: 'serving.knative.dev', plural: 'services' },
    want: 'another type',
  },
  Node: {
    reason: 'kubelet',
    given: { ...deployment, user: 'system:node:n1' },
    want: 'control plane',
  },
  Controller: {
    reason: 'the Deployment controller sets revisions',
    given: { ...deployment, user: 'system:serviceaccount:kube-system:deployment-controller' },
    want: 'control plane',
  },
  ControllerManager: {
    reason: 'one name for all controllers',
    given: { ...deployment, user: 'system:kube-controller-manager' },
    want: 'control plane',
  },
  ApiServer: {
    reason: 'the API server itself',
    given: { ...deployment, user: 'system:apiserver' },
    want: 'control plane',
  },
};

const elsewhere: Record<string, { reason: string; given: Partial<AuditRecord>; want?: string }> = {
  Here: { reason: 'a configured namespace', given: {} },
  Elsewhere: {
    reason: 'a namespace without rights',
    given: { namespace: 'team-b' },
    want: 'another namespace',
  },
  ElsewhereChild: {
    reason: 'nor children in it',
    given: { ...deployment, namespace: 'team-b' },
    want: 'another namespace',
  },
};

const options = { ownIdentity: [own], resourceTypes: kinds, childTypes };

describe('dropReason', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(dropReason({ ...foo, ...given }, options), reason).toBe(want);
  });

  it.each(Object.entries(elsewhere))('NAMESPACES %s', (_, { reason, given, want }) => {
    const here = { ...options, namespaces: ['default'] };
    expect(dropReason({ ...foo, ...given }, here), reason).toBe(want);
  });

  it('keeps our write of a resource that another one owns, as it has children of its own', () => {
    const nested = {
      ...options,
      childTypes: [...childTypes, { group: foo.group, plural: foo.plural }],
    };
    expect(dropReason({ ...foo, user: own }, nested)).toBeUndefined();
    expect(dropReason({ ...foo, ...deployment, user: own }, nested)).toBe('own write');
  });

  it.each([
    {
      given: { ...configMap, user: own },
      reason: 'our own write: a child of one kind, read by another',
    },
    { given: { ...configMap, user: 'jane@example.com' }, reason: 'a user edits it' },
    {
      given: { subresource: 'status' },
      reason: 'the status of a custom resource may be what is read',
    },
    { given: { subresource: 'status', user: own }, reason: 'ours too' },
    {
      given: { ...configMap, subresource: 'status' },
      reason: 'a type of Kubernetes: its status is left to resyncs',
      want: 'subresource status',
    },
    {
      given: { ...configMap, user: 'system:kube-controller-manager' },
      reason: 'the control plane can wait',
      want: 'control plane',
    },
    { given: { ...deployment, user: own }, reason: 'not referred to', want: 'own write' },
  ])('of a type that resources refer to: $reason', ({ given, want }) => {
    const referring = { ...options, referredTypes: [configMap, foo] };
    expect(dropReason({ ...foo, ...given }, referring)).toBe(want);
  });

  it.each([
    [{ subresource: 'status' }, true],
    [{ ...configMap, user: own }, true],
    [{ user: own }, false],
    [configMap, false],
  ])('%j counts for readers alone: %s', (given, want) => {
    expect(countsForReaders({ ...foo, ...given }, options)).toBe(want);
  });

  it('NAMESPACES keeps a deletecollection in all namespaces', () => {
    const { namespace: _, name: __, ...everywhere } = foo;
    const here = { ...options, namespaces: ['default'] };
    expect(dropReason({ ...everywhere, verb: 'deletecollection' }, here)).toBeUndefined();
  });

  it("keeps only others' writes to our types from the samples", () => {
    const kept = Object.entries(samples).filter(([, entry]) => {
      const record = readLogEntry(entry);
      return !('dropped' in record) && dropReason(record, options) === undefined;
    });
    expect(kept.map(([name]) => name)).toEqual(['deploymentPatch', 'deploymentScale']);
  });
});
