import { describe, expect, it } from 'vitest';
import { defaultIdentity } from '../../shared/identity.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { job } from '../../shared/kinds/child-types/batch.ts';
import { persistentVolumeClaim, pod, service } from '../../shared/kinds/child-types/core.ts';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import {
  apiVersionOf,
  type Json,
  type JsonObject,
  type KubeObject,
} from '../../shared/kubernetes.ts';
import { childAfter, isReadinessOpen } from '../../shared/plan/decision/child-after.ts';
import type { Update } from '../../shared/plan/decision/decision.ts';
import { observeChild } from '../../shared/plan/observed/observed.ts';

const certificate = defineChildType({
  group: 'cert-manager.io',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
});

interface Case {
  readonly reason: string;
  readonly type: ChildType;
  readonly spec: JsonObject;
  readonly status?: JsonObject;
  /** The wanted specification, and how it differs. */
  readonly to: JsonObject;
  readonly changes: readonly (readonly [string, Json | undefined, Json | undefined])[];
  readonly handOver?: JsonObject;
  /** True if the whole object has to be read first. */
  readonly isOpen: boolean;
  readonly want: string;
}

const ready = (status: string) => ({ conditions: [{ type: 'Ready', status }] });
const storage = (size: string) => ({ resources: { requests: { storage: size } } });
const unseen = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

const cases: Readonly<Record<string, Case>> = {
  'a Deployment that is scaled': {
    reason: 'its controller has not observed the change, whatever it is',
    type: deployment,
    spec: { replicas: 2 },
    status: unseen,
    to: { replicas: 3 },
    changes: [['spec.replicas', 2, 3]],
    isOpen: false,
    want: 'InProgress',
  },
  'a bound claim that grows': {
    reason: 'it stays bound',
    type: persistentVolumeClaim,
    spec: storage('1Gi'),
    status: { phase: 'Bound' },
    to: storage('2Gi'),
    changes: [['spec.resources.requests.storage', '1Gi', '2Gi']],
    isOpen: true,
    want: 'Current',
  },
  'a claim that is still pending': {
    reason: 'a new claim is just as pending, so nothing has to be read',
    type: persistentVolumeClaim,
    spec: {},
    status: { phase: 'Pending' },
    to: { volumeName: 'a' },
    changes: [['spec.volumeName', undefined, 'a']],
    isOpen: false,
    want: 'InProgress',
  },
  'a running pod': {
    reason: 'its conditions have no generation',
    type: pod,
    spec: { activeDeadlineSeconds: 90 },
    status: { phase: 'Running', ...ready('True') },
    to: { activeDeadlineSeconds: 60 },
    changes: [['spec.activeDeadlineSeconds', 90, 60]],
    isOpen: true,
    want: 'Current',
  },
  'a started Job': {
    reason: 'it has started',
    type: job,
    spec: { parallelism: 1 },
    status: { startTime: 'x' },
    to: { parallelism: 2 },
    changes: [['spec.parallelism', 1, 2]],
    isOpen: true,
    want: 'Current',
  },
  'a suspended Job that is resumed': {
    reason: 'it has to start from now on',
    type: job,
    spec: { suspend: true },
    to: { suspend: false },
    changes: [['spec.suspend', true, false]],
    isOpen: true,
    want: 'InProgress',
  },
  'a suspended Job whose suspend field is dropped': {
    reason: 'a dropped field gets its default',
    type: job,
    spec: { suspend: true },
    to: {},
    changes: [['spec.suspend', true, undefined]],
    isOpen: true,
    want: 'InProgress',
  },
  'a suspended Job that stays so by handing over the field': {
    reason: 'the field keeps its value, so nothing changes',
    type: job,
    spec: { suspend: true },
    to: {},
    handOver: { spec: { suspend: true } },
    changes: [['spec.suspend', true, undefined]],
    isOpen: false,
    want: 'Current',
  },
  'a suspended Job of ours that drops another field': {
    reason: 'the other fields stay',
    type: job,
    spec: { suspend: true, parallelism: 2 },
    to: { suspend: true },
    changes: [['spec.parallelism', 2, undefined]],
    isOpen: false,
    want: 'Current',
  },
  'a suspended Job of ours that drops a field it no longer has': {
    reason: 'another run has dropped it already',
    type: job,
    spec: { suspend: true },
    to: { suspend: true },
    changes: [['spec.template.x', 2, undefined]],
    isOpen: false,
    want: 'Current',
  },
  'a Job that others have suspended': {
    reason: 'what they set stays',
    type: job,
    spec: { suspend: true, parallelism: 1 },
    to: { parallelism: 2 },
    changes: [['spec.parallelism', 1, 2]],
    isOpen: true,
    want: 'Current',
  },
  'a Service': {
    reason: 'a Service is ready once it exists',
    type: service,
    spec: { type: 'ClusterIP' },
    to: { type: 'LoadBalancer' },
    changes: [['spec.type', 'ClusterIP', 'LoadBalancer']],
    isOpen: false,
    want: 'Current',
  },
  'a custom resource whose controller reports the observed generation': {
    reason: 'it has not observed the change',
    type: certificate,
    spec: { days: 1 },
    status: { observedGeneration: 1, ...ready('True') },
    to: { days: 2 },
    changes: [['spec.days', 1, 2]],
    isOpen: false,
    want: 'InProgress',
  },
  'a ready custom resource whose controller reports no generation': {
    reason: 'its condition stays',
    type: certificate,
    spec: { days: 1 },
    status: ready('True'),
    to: { days: 2 },
    changes: [['spec.days', 1, 2]],
    isOpen: false,
    want: 'Current',
  },
  'an unready custom resource whose controller reports no generation': {
    reason: 'its condition stays, unlike that of a new one, which has none',
    type: certificate,
    spec: { days: 1 },
    status: ready('False'),
    to: { days: 2 },
    changes: [['spec.days', 1, 2]],
    isOpen: true,
    want: 'InProgress',
  },
  'a child whose labels alone change': {
    reason: 'labels do not increase the generation',
    type: deployment,
    spec: { replicas: 2 },
    status: unseen,
    to: { replicas: 2 },
    changes: [['metadata.labels.tier', 'two', 'one']],
    isOpen: false,
    want: 'Current',
  },
};

const reader = { identity: defaultIdentity, resource: { namespace: 'default' } };

function settingOf({ type, spec, status, to, changes, handOver }: Case) {
  const apiVersion = apiVersionOf(type);
  const metadata = {
    name: 'shop',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '7',
    generation: 1,
    creationTimestamp: '2026-11-22T10:00:00Z',
  };
  const live: KubeObject = {
    apiVersion,
    kind: type.kind,
    metadata,
    spec,
    ...(status === undefined ? {} : { status }),
  };
  const update: Update = {
    verb: 'update',
    type,
    namespace: 'default',
    lock: 'previous',
    child: { apiVersion, kind: type.kind, name: 'shop' },
    fields: { metadata: { labels: { tier: 'one' } }, spec: to },
    differences: changes.map(([path, from, to]) => ({ path, from, to, writer: undefined })),
    handOver,
  };
  return {
    update,
    live,
    observed: observeChild(type, live, { identity: defaultIdentity, from: 'default' }),
  };
}

describe('the readiness of a child after an update', () => {
  it.each(Object.entries(cases))('%s', (_, one) => {
    const { update, live, observed } = settingOf(one);
    expect(isReadinessOpen(update, observed, reader), 'has to be read').toBe(one.isOpen);
    expect(childAfter(update, { observed, live }, reader)?.readiness.state, 'read').toBe(one.want);
    if (!one.isOpen)
      expect(childAfter(update, { observed, live: undefined }, reader)?.readiness.state).toBe(
        one.want,
      );
  });
});

describe('a Deployment', () => {
  const containers = (...names: readonly string[]) => ({
    template: { containers: names.map((name) => ({ name })) },
  });
  it.each<[string, JsonObject, JsonObject, string]>([
    ['with one more item in a list', containers('a', 'b'), containers('b'), 'Current'],
    ['with one item less in a list', containers('a'), containers('a', 'b'), 'InProgress'],
    ['without a list', {}, containers('a'), 'InProgress'],
    ['with a scalar for a list', { template: { containers: 'a' } }, containers('a'), 'InProgress'],
    ['with a scalar for a map', { template: 'a' }, containers('a'), 'InProgress'],
    ['without a field whose wanted value is zero', {}, { paused: false }, 'Current'],
    ['without a field whose wanted value is not zero', {}, { paused: true }, 'InProgress'],
  ])('%s is unchanged only if it has every wanted field', (_, spec, to, want) => {
    const { update, live, observed } = settingOf({
      reason: '',
      type: deployment,
      spec: { replicas: 2, ...spec },
      status: unseen,
      to,
      changes: [['spec.x', 1, 2]],
      isOpen: false,
      want,
    });
    expect(childAfter(update, { observed, live }, reader)?.readiness.state).toBe(want);
  });
});

it('the readiness of a new or an unobserved child needs no read', () => {
  const { update, observed } = settingOf(cases['a running pod'] as Case);
  const { type, child, namespace, fields } = update;
  const create = { verb: 'create', type, child, namespace, fields, lost: false } as const;
  expect(isReadinessOpen(create, observed, reader)).toBe(false);
  expect(isReadinessOpen(update, undefined, reader)).toBe(false);
});
