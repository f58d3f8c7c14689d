import { describe, expect, it } from 'vitest';
import { type AuditedKind, countsForReaders, dropReason } from '../../shared/audit/filter.ts';
import type { AuditRecord } from '../../shared/audit/record.ts';
import { readLogEntry } from '../../shared/google/log-entry.ts';
import { casesOf } from '../support/cases.ts';
import { kinds, samples } from './samples.ts';

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
  OtherVersion: {
    reason: 'the version in the entry does not matter',
    given: { ...deployment, version: 'v1beta1' },
  },
  Scale: {
    reason: 'kubectl scale changes the spec',
    given: { ...deployment, subresource: 'scale' },
  },
  GarbageCollector: {
    reason: 'the garbage collector removes the finalizer of a foreground deletion by a patch',
    given: {
      ...deployment,
      user: 'system:serviceaccount:kube-system:generic-garbage-collector',
    },
  },
  OwnEdit: {
    reason: "a pipeline edits a resource with the reconciler's own identity",
    given: { user: own },
  },
  ServiceAccount: {
    reason: 'a controller outside kube-system counts as a user',
    given: { ...deployment, user: 'system:serviceaccount:argo:argo' },
  },
  OwnWrite: {
    reason: 'our own write of a child needs no run',
    given: { ...deployment, user: own },
    want: 'own write',
  },
  OwnStatus: {
    reason: 'our own status write needs no run',
    given: { user: own, subresource: 'status' },
    want: 'subresource status',
  },
  Status: {
    reason: 'a status does not change the desired state',
    given: { subresource: 'status' },
    want: 'subresource status',
  },
  Read: { reason: 'a read changes nothing', given: { verb: 'watch' }, want: 'not a write' },
  NoVerb: {
    reason: 'an entry without a verb may be no write',
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
    reason: 'the same plural in another API group is another type',
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
  Here: { reason: 'keeps an entry of a configured namespace', given: {} },
  Elsewhere: {
    reason: 'drops an entry of a namespace that is not configured',
    given: { namespace: 'team-b' },
    want: 'another namespace',
  },
  ElsewhereChild: {
    reason: 'drops an entry about a child in a namespace that is not configured',
    given: { ...deployment, namespace: 'team-b' },
    want: 'another namespace',
  },
};

const options = { ownIdentity: [own], kinds };

/** Adds a kind that owns or reads these types. */
const withKind = (types: { readonly owns?: object[]; readonly refersTo?: object[] }) => {
  const kind = { group: 'example.org', kind: 'Garden', plural: 'gardens', owns: [], refersTo: [] };
  return { ...options, kinds: [...kinds, { ...kind, ...types } as AuditedKind] };
};

describe('dropReason', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(dropReason({ ...foo, ...given }, options)).toBe(want);
  });

  it.each(casesOf(elsewhere))('with NAMESPACES, %s', (_, { given, want }) => {
    const here = { ...options, namespaces: ['default'] };
    expect(dropReason({ ...foo, ...given }, here)).toBe(want);
  });

  it('keeps our own write of a child that is itself a custom resource, because its children must be reconciled', () => {
    const nested = withKind({ owns: [foo] });
    expect(dropReason({ ...foo, user: own }, nested)).toBeUndefined();
    expect(dropReason({ ...foo, ...deployment, user: own }, nested)).toBe('own write');
  });

  it.each([
    {
      given: { ...configMap, user: own },
      reason: 'our own write of a child is kept, because another kind may read that child',
    },
    { given: { ...configMap, user: 'jane@example.com' }, reason: 'an edit by a user is kept' },
    {
      given: { subresource: 'status' },
      reason: 'a status of a custom resource is kept, because a kind may read it',
    },
    { given: { subresource: 'status', user: own }, reason: 'our own status write is kept, too' },
    {
      given: { ...configMap, subresource: 'status' },
      reason: 'a status of a built-in type is dropped; the next resync reads it',
      want: 'subresource status',
    },
    {
      given: { ...configMap, user: 'system:kube-controller-manager' },
      reason: 'a write by the control plane is dropped; the next resync reads it',
      want: 'control plane',
    },
    {
      given: { ...deployment, user: own },
      reason: 'our own write of a type that no kind refers to is dropped',
      want: 'own write',
    },
  ])('if kinds refer to the type: $reason', ({ given, want }) => {
    const referring = withKind({ refersTo: [configMap, foo] });
    expect(dropReason({ ...foo, ...given }, referring)).toBe(want);
  });

  it.each([
    ['the end of a Job, which the control plane writes', { user: jobController }, undefined],
    ['the status of a Job, whoever writes it', { user: 'jane@example.com' }, undefined],
    ['our own write of a Job', { user: own }, 'own write'],
    ['another write of a Job by the control plane', { subresource: undefined }, 'control plane'],
    ['the status of a type that is not a Job', deployment, 'subresource status'],
  ])('if kinds own Jobs: %s', (_, given, want) => {
    const record = { ...foo, ...job, subresource: 'status', user: jobController, ...given };
    expect(dropReason(record as AuditRecord, withKind({ owns: [job] }))).toBe(want);
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
  ])('an entry with %j concerns only the resources that refer to its object: %s', (given, want) => {
    expect(countsForReaders({ ...foo, ...given }, options)).toBe(want);
  });

  it('with NAMESPACES, keeps a deletecollection in all namespaces', () => {
    const { namespace: _, name: __, ...everywhere } = foo;
    const here = { ...options, namespaces: ['default'] };
    expect(dropReason({ ...everywhere, verb: 'deletecollection' }, here)).toBeUndefined();
  });

  it('keeps, among the samples, only writes of our types by other users', () => {
    const kept = Object.entries(samples).filter(([, entry]) => {
      const record = readLogEntry(entry);
      return !('dropped' in record) && dropReason(record, options) === undefined;
    });
    expect(kept.map(([name]) => name)).toEqual(['deploymentPatch', 'deploymentScale']);
  });
});
