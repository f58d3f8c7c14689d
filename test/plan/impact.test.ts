import { describe, expect, it } from 'vitest';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { daemonSet, deployment, statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { horizontalPodAutoscaler } from '../../shared/kinds/child-types/autoscaling.ts';
import { cronJob, job } from '../../shared/kinds/child-types/batch.ts';
import {
  configMap,
  limitRange,
  namespace,
  persistentVolumeClaim,
  pod,
  resourceQuota,
  secret,
  service,
} from '../../shared/kinds/child-types/core.ts';
import { authUrlAnnotation } from '../../shared/kinds/child-types/ingress.ts';
import { ingress, networkPolicy } from '../../shared/kinds/child-types/networking.ts';
import { role } from '../../shared/kinds/child-types/rbac.ts';
import { podDisruptionBudget } from '../../shared/kinds/child-types/small-groups.ts';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import type { Impact } from '../../shared/kinds/impact.ts';
import { secretDigestAnnotation } from '../../shared/kinds/names.ts';
import { apiVersionOf, type Json, type JsonObject } from '../../shared/kubernetes.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import { impactOf } from '../../shared/plan/decision/impact.ts';

interface Case {
  readonly type: ChildType;
  readonly why: string;
  readonly want: readonly Impact[];
  /** Of an update; `[from, to]` by path. */
  readonly changes?: Readonly<Record<string, readonly [Json | undefined, Json | undefined]>>;
  readonly wanted?: JsonObject;
  readonly handOver?: JsonObject;
}

const about = (type: ChildType) => ({
  type,
  child: { apiVersion: apiVersionOf(type), kind: type.kind, name: 'a' },
  namespace: 'n',
});
const lock = { uid: 'u', resourceVersion: '1' };

const update = ({ type, changes = {}, wanted = {}, handOver }: Case): Decision => ({
  ...about(type),
  verb: 'update',
  lock,
  fields: wanted,
  handOver,
  removesIncompatible: false,
  differences: Object.entries(changes).map(([path, [from, to]]) => ({
    path,
    from,
    to,
    writer: undefined,
  })),
});

const image = 'spec.template.spec.containers[name="web"].image';
const rules = (...paths: readonly string[]): Json => [
  { host: 'h', http: { paths: paths.map((path) => ({ path, backend: 'a' })) } },
];
const gadget = { group: 'example.org', version: 'v1', kind: 'Gadget', plural: 'gadgets' };
const silent = defineChildType(gadget);
const speaking = defineChildType({
  ...gadget,
  impact: ({ verb, fields }) =>
    verb === 'update' && fields.some(({ path }) => path === 'spec.size')
      ? ['restart', 'data-loss', 'restart']
      : [],
});

const updates: Record<string, Case> = {
  'a new image': {
    type: deployment,
    changes: { [image]: ['a', 'b'] },
    want: ['restart'],
    why: 'the template changes',
  },
  'a digest of a Secret': {
    type: deployment,
    changes: {
      [`spec.template.metadata.annotations.${secretDigestAnnotation}`]: [
        '(secret)',
        '(secret changed)',
      ],
    },
    want: ['restart'],
    why: 'rollOnChange puts it into the template, masked or not',
  },
  'a whole template': {
    type: deployment,
    changes: { 'spec.template': [undefined, {}] },
    want: ['restart'],
    why: 'the path is that of the template itself',
  },
  'a strategy Recreate': {
    type: deployment,
    changes: { [image]: ['a', 'b'] },
    wanted: { spec: { strategy: { type: 'Recreate' } } },
    want: ['recreate'],
    why: 'no pod runs between the old and the new ones',
  },
  'a paused Deployment': {
    type: deployment,
    changes: { [image]: ['a', 'b'] },
    wanted: { spec: { paused: true } },
    want: [],
    why: 'it does not roll',
  },
  'more replicas': {
    type: deployment,
    changes: { 'spec.replicas': [2, 5] },
    want: [],
    why: 'pods that run stay',
  },
  'fewer replicas': {
    type: deployment,
    changes: { 'spec.replicas': [5, 2] },
    want: [],
    why: 'some pods end, none is replaced',
  },
  'no replicas': {
    type: deployment,
    changes: { 'spec.replicas': [2, 0], [image]: ['a', 'b'] },
    want: ['interrupt'],
    why: 'nothing is left to restart',
  },
  'a label of the Deployment': {
    type: deployment,
    changes: { 'metadata.labels.a': ['x', 'y'] },
    want: [],
    why: 'its pods do not have it',
  },
  'a field that looks like the template': {
    type: deployment,
    changes: { 'spec.templateX': [1, 2] },
    want: [],
    why: 'only whole names count',
  },
  'ownership of the template': {
    type: deployment,
    changes: { [image]: ['a', 'a'] },
    want: [],
    why: 'the value stays',
  },
  'replicas that are handed over': {
    type: silent,
    changes: { 'spec.replicas': [3, undefined] },
    handOver: { spec: { replicas: 3 } },
    want: [],
    why: 'the value stays',
  },
  'cleared managedFields': {
    type: deployment,
    changes: { 'metadata.managedFields': [undefined, undefined] },
    want: ['unknown'],
    why: 'everything is applied to an unknown state',
  },
  'a StatefulSet image': {
    type: statefulSet,
    changes: { [image]: ['a', 'b'] },
    want: ['restart'],
    why: 'the template changes',
  },
  'a StatefulSet updated by hand': {
    type: statefulSet,
    changes: { [image]: ['a', 'b'] },
    wanted: { spec: { updateStrategy: { type: 'OnDelete' } } },
    want: [],
    why: 'its pods stay until they are deleted',
  },
  'claims that are deleted with the StatefulSet': {
    type: statefulSet,
    changes: { 'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': ['Retain', 'Delete'] },
    want: ['data-loss'],
    why: 'they were kept',
  },
  'a DaemonSet image': {
    type: daemonSet,
    changes: { [image]: ['a', 'b'] },
    want: ['restart'],
    why: 'the template changes',
  },
  'a Job that is suspended': {
    type: job,
    changes: { 'spec.suspend': [false, true] },
    want: ['interrupt'],
    why: 'its pods are deleted',
  },
  'a Job that is resumed': {
    type: job,
    changes: { 'spec.suspend': [true, false] },
    want: [],
    why: 'nothing was running',
  },
  'a template of a CronJob': {
    type: cronJob,
    changes: { 'spec.jobTemplate.spec.template.spec': [{}, { a: 1 }] },
    want: [],
    why: 'Jobs that run stay as they are',
  },
  'a Service selector': {
    type: service,
    changes: { 'spec.selector.app': ['a', 'b'] },
    want: ['reroute'],
    why: 'other pods answer',
  },
  'a changed port': {
    type: service,
    changes: { 'spec.ports[port=80,protocol="TCP"].nodePort': [31000, 31001] },
    want: ['interrupt'],
    why: 'clients use the old one',
  },
  'one port more': {
    type: service,
    changes: { 'spec.ports[port=81,protocol="TCP"]': [undefined, { port: 81 }] },
    want: [],
    why: 'the others stay',
  },
  'one port less': {
    type: service,
    changes: { 'spec.ports[port=81,protocol="TCP"]': [{ port: 81 }, undefined] },
    want: ['interrupt'],
    why: 'clients use it',
  },
  'a Service that becomes a NodePort': {
    type: service,
    changes: { 'spec.type': ['ClusterIP', 'NodePort'] },
    want: ['open'],
    why: 'it is reached from outside',
  },
  'a Service that becomes internal': {
    type: service,
    changes: { 'spec.type': ['LoadBalancer', 'ClusterIP'] },
    want: ['close'],
    why: 'it is no longer reached from outside',
  },
  'a NodePort that becomes a LoadBalancer': {
    type: service,
    changes: { 'spec.type': ['NodePort', 'LoadBalancer'] },
    want: ['interrupt'],
    why: 'it is reached in another way',
  },
  'source ranges': {
    type: service,
    changes: { 'spec.loadBalancerSourceRanges': [['10.0.0.0/8'], ['11.0.0.0/8']] },
    want: ['open', 'close'],
    why: 'some are let in and others not',
  },
  'a path more': {
    type: ingress,
    changes: { 'spec.rules': [rules('/a'), rules('/a', '/b')] },
    want: ['open'],
    why: 'it was not served',
  },
  'a path less': {
    type: ingress,
    changes: { 'spec.rules': [rules('/a', '/b'), rules('/a')] },
    want: ['close'],
    why: 'it is no longer served',
  },
  'another path': {
    type: ingress,
    changes: { 'spec.rules': [rules('/a'), rules('/b')] },
    want: ['open', 'close'],
    why: 'one is served, the other no longer',
  },
  'another backend': {
    type: ingress,
    changes: {
      'spec.rules': [rules('/a'), JSON.parse(JSON.stringify(rules('/a')).replace('"a"', '"b"'))],
    },
    want: ['reroute'],
    why: 'another Service answers',
  },
  'authorization that goes away': {
    type: ingress,
    changes: { [`metadata.annotations.${authUrlAnnotation}`]: ['http://auth', undefined] },
    want: ['open'],
    why: 'every request is admitted',
  },
  'authorization that is added': {
    type: ingress,
    changes: { [`metadata.annotations.${authUrlAnnotation}`]: [undefined, 'http://auth'] },
    want: ['close'],
    why: 'some requests are refused',
  },
  'a label of an Ingress': {
    type: ingress,
    changes: { 'metadata.labels.a': ['x', 'y'] },
    want: [],
    why: 'its controller does not read it',
  },
  'bounds of an autoscaler': {
    type: horizontalPodAutoscaler,
    changes: { 'spec.maxReplicas': [3, 9] },
    want: [],
    why: 'no pod is replaced',
  },
  'a Secret': {
    type: secret,
    changes: { 'data.a': ['(secret)', '(secret changed)'] },
    want: [],
    why: 'pods follow by the digest in their template',
  },
  'a ConfigMap': {
    type: configMap,
    changes: { 'data.a': ['x', 'y'] },
    want: [],
    why: 'pods follow by the digest in their template',
  },
  'a claim that grows': {
    type: persistentVolumeClaim,
    changes: { 'spec.resources.requests.storage': ['1Gi', '2Gi'] },
    want: [],
    why: 'what it holds stays',
  },
  'a pod with another image': {
    type: pod,
    changes: { 'spec.containers[name="web"].image': ['a', 'b'] },
    want: ['restart'],
    why: 'its container starts again',
  },
  'a network policy': {
    type: networkPolicy,
    changes: { 'spec.ingress': [[], [{}]] },
    want: ['open', 'close'],
    why: 'what it admits is not compared',
  },
  'a Role': {
    type: role,
    changes: { rules: [[], [{}]] },
    want: ['unknown'],
    why: 'who depends on it is not known',
  },
  'a custom resource that does not say': {
    type: silent,
    changes: { 'spec.size': [1, 2] },
    want: ['unknown'],
    why: 'another controller acts on it',
  },
  'a label of one that does not say': {
    type: silent,
    changes: { 'metadata.labels.a': ['x', 'y'] },
    want: [],
    why: 'the spec stays',
  },
  'one that says': {
    type: speaking,
    changes: { 'spec.size': [1, 2] },
    want: ['data-loss', 'restart'],
    why: 'each once, the gravest first',
  },
};

it.each(Object.entries(updates))('an update: %s', (_, one) => {
  expect(impactOf(update(one))).toEqual(one.want);
});

const ends: readonly { type: ChildType; created: readonly Impact[]; deleted: readonly Impact[] }[] =
  [
    { type: deployment, created: [], deleted: ['interrupt'] },
    { type: statefulSet, created: [], deleted: ['interrupt'] },
    { type: daemonSet, created: [], deleted: ['interrupt'] },
    { type: job, created: [], deleted: ['interrupt'] },
    { type: cronJob, created: [], deleted: ['interrupt'] },
    { type: pod, created: [], deleted: ['interrupt'] },
    { type: service, created: [], deleted: ['interrupt'] },
    { type: ingress, created: ['open'], deleted: ['close'] },
    { type: networkPolicy, created: ['close'], deleted: ['open'] },
    { type: secret, created: [], deleted: ['data-loss'] },
    { type: persistentVolumeClaim, created: [], deleted: ['data-loss'] },
    { type: namespace, created: [], deleted: ['data-loss'] },
    { type: configMap, created: [], deleted: [] },
    { type: horizontalPodAutoscaler, created: [], deleted: [] },
    { type: podDisruptionBudget, created: [], deleted: [] },
    { type: resourceQuota, created: [], deleted: [] },
    { type: limitRange, created: [], deleted: [] },
    { type: role, created: [], deleted: ['unknown'] },
    { type: silent, created: [], deleted: ['unknown'] },
  ];

describe.each(ends)('$type.kind', ({ type, created, deleted }) => {
  it(`created: ${created.join() || 'nothing'}, deleted: ${deleted.join() || 'nothing'}`, () => {
    expect(impactOf({ ...about(type), verb: 'create', fields: {}, lost: false })).toEqual(created);
    expect(impactOf({ ...about(type), verb: 'delete', lock })).toEqual(deleted);
  });
});

it('a Service that is reached from outside opens an exposure', () => {
  const fields = { spec: { type: 'NodePort' } };
  expect(impactOf({ ...about(service), verb: 'create', fields, lost: false })).toEqual(['open']);
});

it('paths that are withdrawn are closed, and what is not written changes nothing', () => {
  const difference = { path: 'spec.rules', from: rules('/a'), to: [], writer: undefined };
  expect(impactOf({ ...about(ingress), verb: 'withdraw', lock, difference })).toEqual(['close']);
  expect(impactOf({ ...about(deployment), verb: 'consolidate', lock })).toEqual([]);
  expect(impactOf({ ...about(deployment), verb: 'none' })).toEqual([]);
});
