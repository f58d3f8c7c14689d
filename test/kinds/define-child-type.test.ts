import { describe, expect, it } from 'vitest';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import type { Readiness } from '../../shared/kinds/readiness.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';
import { identity } from '../support/observe.ts';

const certificate = {
  group: 'cert-manager.io',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
};

const refused: Record<string, { reason: string; given: object; want: string }> = {
  Core: {
    reason: 'a Secret would lose what is special about it',
    given: { group: '', kind: 'Secret', plural: 'secrets' },
    want: 'child type Secret: group "" has no custom resources: for a type of Kubernetes use the export of serverless-reconciler (docs/child-types.md)',
  },
  BuiltIn: {
    reason: 'a group without a dot is of Kubernetes itself',
    given: { group: 'apps', kind: 'Deployment', plural: 'deployments' },
    want: 'group "apps" has no custom resources',
  },
  BuiltInWithDot: {
    reason: 'an Ingress would lose its order of exposures',
    given: { group: 'networking.k8s.io', kind: 'Ingress', plural: 'ingresses' },
    want: 'group "networking.k8s.io" has no custom resources',
  },
  UnknownField: {
    reason: 'a misspelt one would be ignored',
    given: { imutable: ['spec.size'] },
    want: 'child type Certificate: there is no field imutable; did you mean immutable?',
  },
  ApiVersion: {
    reason: 'the two parts of apiVersion are given apart',
    given: { group: 'cert-manager.io/v1' },
    want: 'group "cert-manager.io/v1" is not a lower-case domain: take it from apiVersion, for example cert-manager.io from cert-manager.io/v1',
  },
  GroupedVersion: {
    reason: 'the same the other way round',
    given: { version: 'cert-manager.io/v1' },
    want: 'version "cert-manager.io/v1" is not a version such as v1 or v1beta1, without the group',
  },
  Plural: {
    reason: 'it is part of a path',
    given: { plural: 'certificates.cert-manager.io' },
    want: 'plural "certificates.cert-manager.io" is not a lower-case name such as certificates: take it from kubectl api-resources',
  },
  PluralOfPath: {
    reason: 'it would address a subresource',
    given: { plural: 'certificates/status' },
    want: 'plural "certificates/status" is not',
  },
  KindAsPlural: {
    reason: 'the kind written twice',
    given: { plural: 'Certificate' },
    want: 'plural "Certificate" is not',
  },
  Kind: {
    reason: 'no space, no slash',
    given: { kind: 'My Kind' },
    want: 'child type My Kind: kind "My Kind" is not a name such as Certificate',
  },
  Missing: {
    reason: 'from JavaScript, or a cast',
    given: { plural: undefined },
    want: 'plural is missing: give it as a string',
  },
  Pointer: {
    reason: 'a JSON pointer',
    given: { immutable: ['/spec/secretName'] },
    want: 'immutable "/spec/secretName" is not a field path: separate fields with dots and mark lists with [], as in spec.disks[].size',
  },
  LeadingDot: {
    reason: 'a JSONPath',
    given: { quantities: ['.spec.size'] },
    want: 'quantities ".spec.size" is not a field path',
  },
  ImmutableItem: {
    reason: 'the value is looked up by names',
    given: { immutable: ['spec.disks[].size'] },
    want: 'immutable "spec.disks[].size" leads into a list: give the path of the list itself',
  },
};

describe('defineChildType', () => {
  it.each(Object.entries(refused))('refuses %s', (_, { reason, given, want }) => {
    expect(() => defineChildType({ ...certificate, ...given }), reason).toThrow(want);
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
    { group: 'metrics.example.org', version: 'v1beta1', kind: 'metrics2', plural: 'metrics' },
  ])('accepts $kind of $group', (type) => {
    expect(defineChildType(type)).toMatchObject(type);
  });

  it('takes fields and quantities by their paths', () => {
    const type = defineChildType({
      ...certificate,
      immutable: ['spec.secretName', 'spec.issuerRef.'],
      quantities: ['spec.disks[].size', 'spec.resources.limits.'],
    });
    const spec = { secretName: 'x', issuerRef: { name: 'y' } };
    expect(observeChild(type, live({ spec }), { identity }).fixed).toEqual({
      'spec.secretName': 'x',
      'spec.issuerRef.': { name: 'y' },
    });
  });

  it('takes a readiness of its own', () => {
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
  NoStatus: { reason: 'nothing says otherwise', given: {}, want: { state: 'Current' } },
  Ready: {
    reason: 'as its controller says',
    given: { observedGeneration: 2, conditions: [condition('Ready', 'True')] },
    want: { state: 'Current' },
  },
  NotReady: {
    reason: 'with its message',
    given: { conditions: [condition('Ready', 'False')] },
    want: { state: 'InProgress', message: 'Ready is False' },
  },
  Unknown: {
    reason: 'unknown is not ready',
    given: { conditions: [condition('Ready', 'Unknown', { message: '' })] },
    want: { state: 'InProgress', message: 'Because' },
  },
  OldStatus: {
    reason: 'the status is of an older generation',
    given: { observedGeneration: 1, conditions: [condition('Ready', 'True')] },
    want: { state: 'InProgress', message: notSeen },
  },
  OldCondition: {
    reason: 'some controllers count generations in conditions only',
    given: { conditions: [condition('Ready', 'True', { observedGeneration: 1 })] },
    want: { state: 'InProgress', message: notSeen },
  },
  Reconciling: {
    reason: 'before Ready, which may be of the former state',
    given: { conditions: [condition('Ready', 'True'), condition('Reconciling', 'True')] },
    want: { state: 'InProgress', message: 'Reconciling is True' },
  },
  Stalled: {
    reason: 'waiting does not help',
    given: { conditions: [condition('Ready', 'False'), condition('Stalled', 'True')] },
    want: { state: 'Failed', reason: 'Because', message: 'Stalled is True' },
  },
  NotStalled: {
    reason: 'a condition may be there and False',
    given: { conditions: [condition('Stalled', 'False'), condition('Reconciling', 'False')] },
    want: { state: 'Current' },
  },
  Others: {
    reason: 'conditions of other types are not understood',
    given: { conditions: [condition('Issuing', 'True'), null, 'x', { type: 1 }] },
    want: { state: 'Current' },
  },
};

describe('readiness of a custom resource', () => {
  const type = defineChildType(certificate);
  it.each(Object.entries(readiness))('%s', (_, { reason, given, want }) => {
    expect(type.readiness?.(live({ status: given })), reason).toEqual(want);
  });
});
