import { describe, expect, it } from 'vitest';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import type { Readiness } from '../../shared/kinds/readiness.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';
import { casesOf } from '../support/cases.ts';
import { identity } from '../support/observe.ts';

const certificate = {
  group: 'cert-manager.io',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
};

const refused: Record<string, { reason: string; given: object; want: string }> = {
  Core: {
    reason: 'a Secret would lose its special treatment',
    given: { group: '', kind: 'Secret', plural: 'secrets' },
    want: 'child type Secret: group is ""; it must be the group of a custom resource, or of a cluster-scoped type (scope: \'Cluster\') that serverless-reconciler does not export; if serverless-reconciler exports Secret, import it instead (docs/child-types.md)',
  },
  BuiltIn: {
    reason: 'a group without a dot belongs to Kubernetes',
    given: { group: 'apps', kind: 'Deployment', plural: 'deployments' },
    want: 'group is "apps"; it must be the group of a custom resource',
  },
  BuiltInWithDot: {
    reason: 'an Ingress would lose its order of exposures',
    given: { group: 'networking.k8s.io', kind: 'Ingress', plural: 'ingresses' },
    want: 'group is "networking.k8s.io"; it must be the group of a custom resource',
  },
  WideSecret: {
    reason: 'the same, although it is called cluster-scoped',
    given: { group: '', kind: 'Secret', plural: 'secrets', scope: 'Cluster' },
    want: 'child type Secret: group is ""; it must be the group of a custom resource',
  },
  WideNamespace: {
    reason: 'it is exported, as a type that is kept when it is no longer desired',
    given: { group: '', kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' },
    want: 'that serverless-reconciler does not export; if serverless-reconciler exports Namespace, import it instead',
  },
  WideWithoutDot: {
    reason: 'Kubernetes has no cluster-scoped type in such a group, so it is a misspelt one',
    given: { group: 'cert-manager', kind: 'ClusterIssuer', scope: 'Cluster' },
    want: 'group is "cert-manager"; it must be the group of a custom resource',
  },
  ApiVersion: {
    reason: 'group and version are given separately',
    given: { group: 'cert-manager.io/v1' },
    want: 'group is "cert-manager.io/v1"; take it from `kubectl api-resources`, where APIVERSION is GROUP/VERSION',
  },
  GroupedVersion: {
    reason: 'group and version are given separately',
    given: { version: 'cert-manager.io/v1' },
    want: 'version is "cert-manager.io/v1"; take it from `kubectl api-resources`',
  },
  Plural: {
    reason: 'the plural is a part of the path',
    given: { plural: 'certificates.cert-manager.io' },
    want: 'plural is "certificates.cert-manager.io"; take it from `kubectl api-resources`',
  },
  PluralOfPath: {
    reason: 'it would address a subresource',
    given: { plural: 'certificates/status' },
    want: 'plural is "certificates/status"; take it from `kubectl api-resources`',
  },
  KindAsPlural: {
    reason: 'the kind is given twice',
    given: { plural: 'Certificate' },
    want: 'plural is "Certificate"; take it from `kubectl api-resources`',
  },
  Kind: {
    reason: 'a kind has no spaces or slashes',
    given: { kind: 'My Kind' },
    want: 'child type My Kind: kind is "My Kind"; take it from `kubectl api-resources`',
  },
};

describe('defineChildType', () => {
  it.each(casesOf(refused))('refuses %s', (_, { given, want }) => {
    expect(() => defineChildType({ ...certificate, ...given })).toThrow(want);
  });

  it.each([
    { group: 'gateway.networking.k8s.io', version: 'v1', kind: 'HTTPRoute', plural: 'httproutes' },
    { group: 'serving.knative.dev', version: 'v1', kind: 'Service', plural: 'services' },
    {
      group: 'snapshot.storage.k8s.io',
      version: 'v1',
      kind: 'VolumeSnapshot',
      plural: 'volumesnapshots',
    },
    {
      group: 'storage.k8s.io',
      version: 'v1',
      kind: 'CSIDriver',
      plural: 'csidrivers',
      scope: 'Cluster' as const,
    },
    { group: '', version: 'v1', kind: 'Node', plural: 'nodes', scope: 'Cluster' as const },
    { group: 'metrics.example.org', version: 'v1beta1', kind: 'metrics2', plural: 'metrics' },
  ])('accepts $kind of $group', (type) => {
    expect(defineChildType(type)).toMatchObject(type);
  });

  const deep = (levels: number): JsonObject =>
    Array.from({ length: levels }).reduce<JsonObject>((inner) => ({ inner }), {});
  it.each([
    {
      reason: 'small',
      facts: () => ({ notAfter: '2027-01-01' }),
      want: { notAfter: '2027-01-01' },
    },
    {
      reason: 'as JSON',
      facts: () => ({ at: new Date(0) }) as never,
      want: { at: '1970-01-01T00:00:00.000Z' },
    },
    { reason: 'too long', facts: () => ({ text: 'x'.repeat(2048) }), want: {} },
    { reason: 'too deep', facts: () => deep(100_000), want: {} },
    { reason: 'a list', facts: () => [] as never, want: {} },
    { reason: 'none', facts: () => undefined as never, want: {} },
    {
      reason: 'thrown',
      facts: () => {
        throw new TypeError('of undefined');
      },
      want: {},
    },
  ])('limits facts: $reason', ({ facts, want }) => {
    const type = defineChildType({ ...certificate, facts });
    expect(observeChild(type, live({}), { identity }).facts).toEqual(want);
  });

  it('uses a given readiness', () => {
    const readiness = (): Readiness => ({ state: 'InProgress', message: 'as its author says' });
    const type = defineChildType({ ...certificate, readiness });
    expect(observeChild(type, live({}), { identity }).readiness).toEqual(readiness());
  });
});

const live = (fields: JsonObject, generation = 2) => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: {
    name: 'shop',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    generation,
    creationTimestamp: '2026-11-22T10:00:00Z',
  },
  ...fields,
});

const condition = (type: string, status: string, more: JsonObject = {}): JsonObject => ({
  type,
  status,
  reason: 'Because',
  message: `${type} is ${status}`,
  ...more,
});
const notSeen = 'its controller has not observed the latest change yet';

const readiness: Record<string, { reason: string; given: JsonObject; want: Readiness }> = {
  NoStatus: {
    reason: 'there is no status that says otherwise',
    given: {},
    want: { state: 'Current' },
  },
  Ready: {
    reason: 'its controller says so',
    given: { observedGeneration: 2, conditions: [condition('Ready', 'True')] },
    want: { state: 'Current' },
  },
  NotReady: {
    reason: 'the message is that of the condition',
    given: { conditions: [condition('Ready', 'False')] },
    want: { state: 'InProgress', message: 'Ready is False' },
  },
  Unknown: {
    reason: 'unknown is not ready',
    given: { conditions: [condition('Ready', 'Unknown', { message: '' })] },
    want: { state: 'InProgress', message: 'Because' },
  },
  OldStatus: {
    reason: 'the status is about an older generation',
    given: { observedGeneration: 1, conditions: [condition('Ready', 'True')] },
    want: { state: 'InProgress', message: notSeen },
  },
  OldCondition: {
    reason: 'some controllers count generations in conditions only',
    given: { conditions: [condition('Ready', 'True', { observedGeneration: 1 })] },
    want: { state: 'InProgress', message: notSeen },
  },
  StalledButOld: {
    reason: 'a condition of the latest generation proves that its controller has observed it',
    given: {
      observedGeneration: 1,
      conditions: [condition('Stalled', 'True', { observedGeneration: 2 })],
    },
    want: { state: 'Failed', reason: 'Because', message: 'Stalled is True' },
  },
  Reconciling: {
    reason: 'Reconciling comes before a Ready of the previous state',
    given: { conditions: [condition('Ready', 'True'), condition('Reconciling', 'True')] },
    want: { state: 'InProgress', message: 'Reconciling is True' },
  },
  Stalled: {
    reason: 'waiting does not help',
    given: { conditions: [condition('Ready', 'False'), condition('Stalled', 'True')] },
    want: { state: 'Failed', reason: 'Because', message: 'Stalled is True' },
  },
  NotStalled: {
    reason: 'a condition may be present and False',
    given: { conditions: [condition('Stalled', 'False'), condition('Reconciling', 'False')] },
    want: { state: 'Current' },
  },
  Others: {
    reason: 'conditions of other types are ignored',
    given: { conditions: [condition('Issuing', 'True'), null, 'x', { type: 1 }] },
    want: { state: 'Current' },
  },
};

describe('readiness of a custom resource', () => {
  const type = defineChildType(certificate);
  it.each(casesOf(readiness))('%s', (_, { given, want }) => {
    expect(type.readiness?.(live({ status: given }))).toEqual(want);
  });
});
