import { describe, expect, it } from 'vitest';
import {
  type ChildType,
  configMap,
  cronJob,
  daemonSet,
  defineChildType,
  defineKind,
  deployment,
  horizontalPodAutoscaler,
  ingress,
  job,
  networkPolicy,
  pod,
  podDisruptionBudget,
  service,
  statefulSet,
  Type,
} from '../../index.ts';
import { kindWarnings } from '../../infra/check/check-kind.ts';
import { unmatchedSelections } from '../../infra/check/selections.ts';
import type { Child } from '../../shared/kinds/child.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { casesOf } from '../support/cases.ts';

const made = (type: ChildType, spec: JsonObject, over: Partial<Child> = {}): Child => ({
  type,
  name: 'a',
  body: { spec },
  ...over,
});

const ports = [
  { name: 'web', containerPort: 80, protocol: 'TCP' },
  { name: 'dns', containerPort: 53, protocol: 'UDP' },
];

const template = (labels: JsonObject = { app: 'a' }, spec: JsonObject = {}): JsonObject => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'web:1', ports }], ...spec },
});

const workload = (type: ChildType = deployment, labels?: JsonObject): Child =>
  made(type, { template: template(labels) });

const selecting = (selector: JsonObject, more: JsonObject = {}): Child =>
  made(service, { selector, ports: [{ port: 80, protocol: 'TCP' }], ...more });

const budget = (selector: JsonObject): Child => made(podDisruptionBudget, { selector });

const targeting = (port: JsonObject): Child => selecting({ app: 'a' }, { ports: [port] });

const scaling = (target: JsonObject): Child =>
  made(horizontalPodAutoscaler, { scaleTargetRef: { apiVersion: 'apps/v1', ...target } });

const routing = (port: JsonObject, name = 'a'): Child =>
  made(ingress, { rules: [{ http: { paths: [{ backend: { service: { name, port } } }] } }] });

interface Case {
  readonly reason: string;
  readonly children: readonly Child[];
  readonly want?: readonly string[];
}

const cases: Record<string, Case> = {
  Fits: { reason: 'the selector matches', children: [workload(), selecting({ app: 'a' })] },
  Misspelt: {
    reason: 'a misspelt selector of a Service is reported',
    children: [workload(), selecting({ app: 'b' })],
    want: [
      'Service a: spec.selector {"app":"b"} selects no pods of the other children; those of Deployment a have {"app":"a"}',
    ],
  },
  AllLabels: {
    reason: 'a selector matches only if each label does',
    children: [workload(), selecting({ app: 'a', tier: 'web' })],
    want: [
      'Service a: spec.selector {"app":"a","tier":"web"} selects no pods of the other children; those of Deployment a have {"app":"a"}',
    ],
  },
  OneOfSeveral: {
    reason: 'a selector may match the pods of one of several workloads',
    children: [workload(deployment, { app: 'b' }), workload(daemonSet), selecting({ app: 'a' })],
  },
  AnyWorkload: {
    reason: 'each type of workload has a pod template',
    children: [
      workload(statefulSet),
      workload(job),
      workload(daemonSet),
      made(cronJob, { jobTemplate: { spec: { template: template({ app: 'b' }) } } }),
      selecting({ app: 'b' }),
    ],
  },
  Pod: {
    reason: 'a selector may match the labels of a Pod that is a child',
    children: [
      made(pod, { containers: [{ name: 'c' }] }, { labels: { app: 'a' } }),
      selecting({ app: 'a', 'app.kubernetes.io/instance': 'x' }),
    ],
  },
  NoPods: {
    reason: 'a selector without a workload among the children is not reported',
    children: [selecting({ app: 'b' })],
  },
  CustomChild: {
    reason: 'the controller of a custom resource may make pods',
    children: [
      workload(),
      made(
        defineChildType({ group: 'db.example', version: 'v1', kind: 'Pool', plural: 'pools' }),
        {},
      ),
      selecting({ app: 'b' }),
    ],
  },
  OtherNamespace: {
    reason: 'a selector matches in its own namespace only',
    children: [
      made(deployment, { template: template() }, { namespace: 'x' }),
      made(service, { selector: { app: 'b' } }, { namespace: 'y' }),
    ],
  },
  NoSelector: {
    reason: 'a Service without a selector is not reported',
    children: [workload(), made(service, { ports: [] }), selecting({})],
  },
  ExternalName: {
    reason: 'the selector is not used',
    children: [workload(), selecting({ app: 'b' }, { type: 'ExternalName' })],
  },
  ControllersLabels: {
    reason: 'controllers add these labels to pods',
    children: [
      workload(statefulSet),
      selecting({ app: 'a', 'statefulset.kubernetes.io/pod-name': 'a-0' }),
      selecting({ 'batch.kubernetes.io/job-name': 'a' }),
      budget({ matchExpressions: [{ key: 'pod-template-hash', operator: 'Exists' }] }),
    ],
  },
  Budget: {
    reason: 'a disruption budget without matching pods is reported',
    children: [workload(), budget({ matchLabels: { app: 'b' } })],
    want: [
      'PodDisruptionBudget a: spec.selector {"matchLabels":{"app":"b"}} selects no pods of the other children; those of Deployment a have {"app":"a"}',
    ],
  },
  Expressions: {
    reason: 'expressions are read as the API server reads them',
    children: [
      workload(),
      ...[
        { key: 'app', operator: 'In', values: ['b', 'a'] },
        { key: 'app', operator: 'NotIn', values: ['b'] },
        { key: 'tier', operator: 'NotIn', values: ['b'] },
        { key: 'app', operator: 'Exists' },
        { key: 'tier', operator: 'DoesNotExist' },
      ].map((one) => budget({ matchExpressions: [one] })),
    ],
  },
  WrongExpressions: {
    reason: 'a selector matches only if each expression does',
    children: [
      workload(),
      ...[
        { key: 'app', operator: 'In', values: ['b'] },
        { key: 'app', operator: 'NotIn', values: ['a'] },
        { key: 'tier', operator: 'Exists' },
        { key: 'app', operator: 'DoesNotExist' },
      ].map((one) => budget({ matchExpressions: [one] })),
    ],
    want: [
      ['app', 'In', '["b"]'],
      ['app', 'NotIn', '["a"]'],
      ['tier', 'Exists'],
      ['app', 'DoesNotExist'],
    ].map(
      ([key, operator, values]) =>
        `PodDisruptionBudget a: spec.selector {"matchExpressions":[{"key":"${key}","operator":"${operator}"${values === undefined ? '' : `,"values":${values}`}}]} selects no pods of the other children; those of Deployment a have {"app":"a"}`,
    ),
  },
  Policy: {
    reason: 'an empty selector matches all pods, and peers may be any',
    children: [
      workload(),
      made(networkPolicy, {
        podSelector: {},
        ingress: [{ from: [{ podSelector: { matchLabels: { app: 'client' } } }] }],
      }),
    ],
  },
  PolicyOfNone: {
    reason: 'a NetworkPolicy without matching pods is reported',
    children: [workload(), made(networkPolicy, { podSelector: { matchLabels: { app: 'b' } } })],
    want: [
      'NetworkPolicy a: spec.podSelector {"matchLabels":{"app":"b"}} selects no pods of the other children; those of Deployment a have {"app":"a"}',
    ],
  },
  NamedPort: {
    reason: 'a port is found by name and protocol; a number needs no port',
    children: [
      workload(),
      targeting({ port: 80, protocol: 'TCP', targetPort: 'web' }),
      targeting({ port: 53, protocol: 'UDP', targetPort: 'dns' }),
      targeting({ port: 80, protocol: 'TCP', targetPort: 8080 }),
    ],
  },
  NoSuchPort: {
    reason: 'the Service would have no endpoints',
    children: [workload(), targeting({ port: 80, protocol: 'TCP', targetPort: 'wep' })],
    want: [
      'Service a: targetPort wep/TCP names no port of the selected containers; they have web/TCP, dns/UDP',
    ],
  },
  OtherProtocol: {
    reason: 'a port with another protocol is not found',
    children: [workload(), targeting({ port: 53, targetPort: 'dns' })],
    want: [
      'Service a: targetPort dns/TCP names no port of the selected containers; they have web/TCP, dns/UDP',
    ],
  },
  NoNamedPort: {
    reason: 'a declared port may have no name',
    children: [
      made(deployment, {
        template: template(
          { app: 'a' },
          { containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] },
        ),
      }),
      targeting({ port: 80, targetPort: 'web' }),
    ],
    want: [
      'Service a: targetPort web/TCP names no port of the selected containers; none has a name',
    ],
  },
  Sidecar: {
    reason: 'an init container that keeps running has ports, too',
    children: [
      made(deployment, {
        template: template(
          { app: 'a' },
          { initContainers: [{ name: 's', ports: [{ name: 'metrics', containerPort: 9 }] }] },
        ),
      }),
      targeting({ port: 80, targetPort: 'metrics' }),
    ],
  },
  Autoscaler: {
    reason: 'the target is a child',
    children: [workload(), scaling({ kind: 'Deployment', name: 'a' })],
  },
  AutoscalerOfNone: {
    reason: 'an autoscaler without its target is reported',
    children: [
      workload(),
      scaling({ kind: 'Deployment', name: 'b' }),
      scaling({ kind: 'StatefulSet', name: 'a' }),
      scaling({ apiVersion: 'v1', kind: 'Deployment', name: 'a' }),
    ],
    want: [
      'HorizontalPodAutoscaler a: spec.scaleTargetRef names Deployment.apps b, which is not one of the other children; these could be scaled: Deployment a',
      'HorizontalPodAutoscaler a: spec.scaleTargetRef names StatefulSet.apps a, which is not one of the other children; these could be scaled: Deployment a',
      'HorizontalPodAutoscaler a: spec.scaleTargetRef names Deployment a, which is not one of the other children; these could be scaled: Deployment a',
    ],
  },
  AutoscalerOfOthers: {
    reason: 'the target is a custom resource, or no child can be scaled',
    children: [
      workload(daemonSet),
      scaling({ kind: 'Deployment', name: 'b' }),
      scaling({ apiVersion: 'example.org/v1', kind: 'Cache', name: 'a' }),
    ],
  },
  Backend: {
    reason: 'a port of the Service is named by number or name; other Services may have any',
    children: [
      workload(),
      selecting({ app: 'a' }, { ports: [{ port: 80, name: 'web' }] }),
      routing({ number: 80 }),
      routing({ name: 'web' }),
      routing({ number: 81 }, 'proxy'),
      made(ingress, { defaultBackend: { service: { name: 'a', port: { number: 80 } } } }),
    ],
  },
  NoBackend: {
    reason: 'the router would return 503',
    children: [
      workload(),
      selecting({ app: 'a' }, { ports: [{ port: 80, name: 'web' }, { port: 443 }] }),
      routing({ number: 8080 }),
      routing({ name: 'wep' }),
    ],
    want: [
      'Ingress a: its backend is port 8080 of Service a, which has no such port; its ports: web, 443',
      'Ingress a: its backend is port wep of Service a, which has no such port; its ports: web, 443; did you mean web?',
    ],
  },
  Shapeless: {
    reason: 'other checks report what the API server refuses',
    children: [
      made(deployment, { template: { metadata: null, spec: { containers: [null, 1] } } }),
      selecting({ app: null }),
      budget({ matchLabels: null, matchExpressions: [null, {}] }),
      made(service, { selector: 'app', ports: 'all' }),
      made(ingress, { rules: [{ http: null }, 1], defaultBackend: 'a' }),
      made(horizontalPodAutoscaler, {}),
    ],
    want: [
      'Service a: spec.selector {"app":null} selects no pods of the other children; their pods have no labels',
    ],
  },
};

describe('selections among children', () => {
  it.each(casesOf(cases))('%s', (_, { children, want = [] }) => {
    expect(unmatchedSelections(children)).toEqual(want);
  });

  it('are judged for each sample with the objects that it refers to, and reported once', () => {
    const bot = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Bot',
      plural: 'bots',
      spec: Type.Object({}),
      samples: ['bot', 'other'].map((name) => ({ name, spec: {} })),
      owns: [deployment, service],
      reads: { settings: { type: configMap, name: () => 'settings' } },
      children: ({ name, reads: { settings } }) =>
        settings === undefined ? [] : [workload(), selecting({ app: name })],
    });
    expect(kindWarnings(bot)).toEqual([
      expect.stringMatching(/^Bot: sample bot: Service a: spec\.selector/),
    ]);
  });
});

describe('warnings about the time to live of a Job', () => {
  it.each([
    { life: 599, want: [expect.stringMatching(/Job a: ttlSecondsAfterFinished is 599, .* 600$/)] },
    { life: 600, want: [] },
    { life: undefined, want: [] },
  ])('with $life seconds', ({ life, want }) => {
    const task = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Task',
      plural: 'tasks',
      spec: Type.Object({}),
      samples: [{ name: 'task', spec: {} }],
      owns: [job],
      children: () => [
        { type: job, name: 'a', body: { spec: { ttlSecondsAfterFinished: life, template: {} } } },
      ],
    });
    expect(kindWarnings(task)).toEqual(want);
  });
});
