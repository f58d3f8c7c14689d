import { describe, expect, it } from 'vitest';
import { countsForReaders, dropReason } from '../../shared/audit/filter.ts';
import type { AuditRecord } from '../../shared/audit/record.ts';
import { readLogEntry } from '../../shared/google/log-entry.ts';
import { casesOf } from '../support/cases.ts';
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
const job = { group: 'batch', version: 'v1', plural: 'jobs' };
const jobController = 'system:serviceaccount:kube-system:job-controller';

const cases: Record<string, { reason: string; given: Partial<AuditRecord>; want?: string }> = {
  Resource: { reason: 'a user edits a resource', given: {} },
  Applied: { reason: 'server-side apply creates with PATCH', given: { verb: 'patch' } },
  Child: { reason: 'a user edits a child', given: deployment },
  ChildDeleted: { reason: 'a user deletes a child', given: { ...deployment, verb: 'delete' } },
  OtherVersion: { reason: 'any version counts', given: { ...deployment, version: 'v1beta1' } },
  Scale: {
    reason: 'kubectl scale changes the spec',
    given: { ...deployment, subresource: 'scale' },
  },
  GarbageCollector: {
    reason: 'the garbage collector ends a foreground deletion with a patch',
    given: {
      ...deployment,
      user: 'system:serviceaccount:kube-system:generic-garbage-collector',
    },
  },
  OwnEdit: { reason: 'a pipeline edits a resource under our own identity', given: { user: own } },
  ServiceAccount: {
    reason: 'a controller outside kube-system counts as a user',
    given: { ...deployment, user: 'system:serviceaccount:argo:argo' },
  },
  OwnWrite: {
    reason: 'our own write of a child calls for no run',
    given: { ...deployment, user: own },
    want: 'own write',
  },
  OwnStatus: {
    reason: 'our own status write calls for no run',
    given: { user: own, subresource: 'status' },
    want: 'subresource status',
  },
  Status: {
    reason: 'the status does not change the desired state',
    given: { subresource: 'status' },
    want: 'subresource status',
  },
  Read: { reason: 'a read changes nothing', given: { verb: 'watch' }, want: 'not a write' },
  NoVerb: {
    reason: 'an entry without a verb is not known to be a write',
    given: { verb: '' },
    want: 'not a write',
  },
  Failed: { reason: 'a failed write changed nothing', given: { failed: true }, want: 'failed' },
  DryRun: { reason: 'a dry run changed nothing', given: { dryRun: true }, want: 'dry run' },
  Pod: {
    reason: 'no kind owns Pods',
    given: { group: '', plural: 'pods' },
    want: 'another type',
  },
  SamePlural: {
    reason: 'the same plural in another group is another type',
    given: { group: 'serving.knative.dev', plural: 'services' },
    want: 'another type',
  },
  Node: {
    reason: 'a kubelet is part of the control plane',
    given: { ...deployment, user: 'system:node:n1' },
    want: 'control plane',
  },
  Controller: {
    reason: 'the Deployment controller sets revisions',
    given: { ...deployment, user: 'system:serviceaccount:kube-system:deployment-controller' },
    want: 'control plane',
  },
  ControllerManager: {
    reason: 'some clusters run all controllers under one name',
    given: { ...deployment, user: 'system:kube-controller-manager' },
    want: 'control plane',
  },
  ApiServer: {
    reason: 'the API server also writes objects itself',
    given: { ...deployment, user: 'system:apiserver' },
    want: 'control plane',
  },
};

const elsewhere: Record<string, { reason: string; given: Partial<AuditRecord>; want?: string }> = {
  Here: { reason: 'a configured namespace is kept', given: {} },
  Elsewhere: {
    reason: 'a namespace that is not configured',
    given: { namespace: 'team-b' },
    want: 'another namespace',
  },
  ElsewhereChild: {
    reason: 'children in that namespace are dropped as well',
    given: { ...deployment, namespace: 'team-b' },
    want: 'another namespace',
  },
};

const options = { ownIdentity: [own], resourceTypes: kinds, childTypes };

describe('dropReason', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(dropReason({ ...foo, ...given }, options)).toBe(want);
  });

  it.each(casesOf(elsewhere))('NAMESPACES %s', (_, { given, want }) => {
    const here = { ...options, namespaces: ['default'] };
    expect(dropReason({ ...foo, ...given }, here)).toBe(want);
  });

  it('keeps our own write of a resource that is also a child, because it has children to reconcile', () => {
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
      reason: 'our own write of a child counts, because another kind may read it',
    },
    { given: { ...configMap, user: 'jane@example.com' }, reason: 'an edit by a user counts' },
    {
      given: { subresource: 'status' },
      reason: 'the status of a custom resource counts, because a kind may read it',
    },
    { given: { subresource: 'status', user: own }, reason: 'our own status write counts as well' },
    {
      given: { ...configMap, subresource: 'status' },
      reason: 'the status of a built-in type is left to resyncs',
      want: 'subresource status',
    },
    {
      given: { ...configMap, user: 'system:kube-controller-manager' },
      reason: 'writes of the control plane are left to resyncs',
      want: 'control plane',
    },
    {
      given: { ...deployment, user: own },
      reason: 'our own write of a type that no kind refers to is dropped',
      want: 'own write',
    },
  ])('with referred types: $reason', ({ given, want }) => {
    const referring = { ...options, referredTypes: [configMap, foo] };
    expect(dropReason({ ...foo, ...given }, referring)).toBe(want);
  });

  it.each([
    ['the end of a Job, which the control plane writes', { user: jobController }, undefined],
    ['the status of a Job, whoever writes it', { user: 'jane@example.com' }, undefined],
    ['our own write of it', { user: own }, 'own write'],
    ['another write by the control plane', { subresource: undefined }, 'control plane'],
    ['the status of another type', deployment, 'subresource status'],
  ])('with Jobs as children: %s', (_, given, want) => {
    const record = { ...foo, ...job, subresource: 'status', user: jobController, ...given };
    expect(
      dropReason(record as AuditRecord, { ...options, childTypes: [...childTypes, job] }),
    ).toBe(want);
    const isEnd = want === undefined;
    if (isEnd) expect(countsForReaders(record as AuditRecord, options)).toBe(false);
  });

  it('drops the status of Jobs that no kind owns', () => {
    const record = { ...foo, ...job, subresource: 'status', user: jobController };
    expect(dropReason(record, options)).toBe('subresource status');
  });

  it.each([
    [{ subresource: 'status' }, true],
    [{ ...configMap, user: own }, true],
    [{ user: own }, false],
    [configMap, false],
  ])('%j concerns only the resources that refer to the object: %s', (given, want) => {
    expect(countsForReaders({ ...foo, ...given }, options)).toBe(want);
  });

  it('NAMESPACES keeps a deletecollection in all namespaces', () => {
    const { namespace: _, name: __, ...everywhere } = foo;
    const here = { ...options, namespaces: ['default'] };
    expect(dropReason({ ...everywhere, verb: 'deletecollection' }, here)).toBeUndefined();
  });

  it('keeps only writes to our types by other users from the samples', () => {
    const kept = Object.entries(samples).filter(([, entry]) => {
      const record = readLogEntry(entry);
      return !('dropped' in record) && dropReason(record, options) === undefined;
    });
    expect(kept.map(([name]) => name)).toEqual(['deploymentPatch', 'deploymentScale']);
  });
});
