import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { type Difference, drift } from '../../shared/plan/drift/drift.ts';
import { fooDeployment } from '../support/children.ts';
import { applied, type Draft, edited, scaled } from '../support/edits.ts';
import { observeChild } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { applyBody, wantedFields } from '../support/worlds.ts';

const at = '2026-11-21T11:00:00Z';
const by = (manager: string, time: string | undefined = at) => ({ manager, time });
const difference = (
  path: string,
  from: Json | undefined,
  to: Json | undefined,
  writer?: { manager: string; time: string | undefined },
): Difference => ({ path, from, to, writer });

const container = 'spec.template.spec.containers[name="nginx"]';

interface Case {
  readonly reason: string;
  readonly live: KubeObject;
  /** Defaults to what the sample resource wants. */
  readonly wanted?: JsonObject;
  readonly want: readonly Difference[];
}

const fooWants = wantedFields(foo(), 'Deployment');

const fooWith = (spec: JsonObject) => wantedFields(foo({ spec }), 'Deployment');
const withBody = (body: JsonObject): JsonObject => ({
  ...fooWants,
  spec: { ...(fooWants.spec as JsonObject), ...body },
});
/** The Deployment of the sample Foo after we applied these fields. */
const after = (wanted: JsonObject, drop: (draft: Draft) => void = () => {}): KubeObject => {
  const live = applied(
    fooDeployment(),
    { by: 'serverless-reconciler' },
    applyBody(fooDeployment(), wanted),
  );
  const draft = structuredClone(live) as Draft;
  drop(draft);
  return draft;
};
const podWith = (pod: JsonObject) =>
  withBody({
    template: {
      metadata: { labels: { app: 'nginx', controller: 'foo-sample' } },
      spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }], ...pod },
    },
  });

const env = `${container}.env[name="A"].valueFrom`;
const podName = { fieldRef: { fieldPath: 'metadata.name' } };
const withEnv = (valueFrom: JsonObject) =>
  withBody({
    template: {
      metadata: { labels: { app: 'nginx', controller: 'foo-sample' } },
      spec: {
        containers: [{ name: 'nginx', image: 'nginx:latest', env: [{ name: 'A', valueFrom }] }],
      },
    },
  });
const addVersion = ({ spec }: Draft) => {
  spec.template.spec.containers[0].env[0].valueFrom.fieldRef.apiVersion = 'v1';
};

const specs: Record<string, Case> = {
  FieldRefDefault: {
    reason: 'the server adds the version to a reference that is ours as a whole',
    live: after(withEnv(podName), addVersion),
    wanted: withEnv(podName),
    want: [],
  },
  FieldRefOtherVersion: {
    reason: 'a version other than the default is reset',
    live: after(withEnv({ fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } })),
    wanted: withEnv(podName),
    want: [difference(`${env}.fieldRef.apiVersion`, 'v2', undefined)],
  },
  FieldRefPath: {
    reason: 'the other fields of the reference still count',
    live: after(withEnv(podName), addVersion),
    wanted: withEnv({ fieldRef: { fieldPath: 'metadata.namespace' } }),
    want: [difference(`${env}.fieldRef.fieldPath`, 'metadata.name', 'metadata.namespace')],
  },
  DivisorDefault: {
    reason: 'the server adds a divisor to a reference to a resource',
    live: after(withEnv({ resourceFieldRef: { resource: 'limits.cpu', divisor: '0' } })),
    wanted: withEnv({ resourceFieldRef: { resource: 'limits.cpu' } }),
    want: [],
  },
  'F-3 Changed': {
    reason: 'a newly wanted value has no writer',
    live: fooDeployment(),
    wanted: fooWith({ replicas: 3 }),
    want: [difference('spec.replicas', 1, 3)],
  },
  'F-3 ChangedAndShared': {
    reason: 'a value that we hold has no other writer, even if another manager holds it, too',
    live: applied(
      fooDeployment(),
      { by: 'argocd' },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'foo-sample' },
        spec: { replicas: 1 },
      },
    ),
    wanted: fooWith({ replicas: 3 }),
    want: [difference('spec.replicas', 1, 3)],
  },
  'F-1 Dropped': {
    reason: 'a field that is no longer wanted is still in our entry',
    live: fooDeployment(),
    wanted: fooWith({ replicas: undefined }),
    want: [difference('spec.replicas', 1, undefined)],
  },
  'F-1 NotOurs': {
    reason: 'a field that was never wanted may have any value',
    live: scaled(fooDeployment(), 7),
    wanted: fooWith({ replicas: undefined }),
    want: [],
  },
  ItemDropped: {
    reason: 'an item that is no longer wanted is still in our entry',
    live: fooDeployment(),
    wanted: withBody({
      template: {
        metadata: { labels: { app: 'nginx', controller: 'foo-sample' } },
        spec: { containers: [{ name: 'web', image: 'nginx:latest' }] },
      },
    }),
    want: [
      difference('spec.template.spec.containers[name="web"]', undefined, {
        name: 'web',
        image: 'nginx:latest',
      }),
      difference(container, { name: 'nginx', image: 'nginx:latest' }, undefined),
    ],
  },
  ZerosDropped: {
    reason: 'zero values that the server drops are no drift',
    live: after(withBody({ paused: false, minReadySeconds: 0 }), ({ spec }) => {
      delete spec.paused;
      delete spec.minReadySeconds;
    }),
    wanted: withBody({ paused: false, minReadySeconds: 0 }),
    want: [],
  },
  FalseRemoved: {
    reason:
      'the server keeps a false that differs from no value: others removed it, and restored our entry',
    live: after(podWith({ automountServiceAccountToken: false }), ({ spec }) => {
      delete spec.template.spec.automountServiceAccountToken;
    }),
    wanted: podWith({ automountServiceAccountToken: false }),
    want: [difference('spec.template.spec.automountServiceAccountToken', undefined, false)],
  },
  ZeroNeverSent: {
    reason: 'a default other than zero may be present although we never wrote',
    live: fooDeployment(),
    wanted: podWith({ terminationGracePeriodSeconds: 0 }),
    want: [difference('spec.template.spec.terminationGracePeriodSeconds', undefined, 0)],
  },
  EmptyNeverKept: {
    reason: 'empty maps and lists are in no entry',
    live: fooDeployment(),
    wanted: podWith({ nodeSelector: {}, imagePullSecrets: [], volumes: [] }),
    want: [],
  },
  ExistenceOnly: {
    reason: 'others may fill a map that we sent empty',
    live: edited(after(podWith({ securityContext: {} })), { by: 'admission' }, ({ spec }) => {
      spec.template.spec.securityContext.runAsNonRoot = true;
    }),
    wanted: podWith({ securityContext: {} }),
    want: [],
  },
  AtomicWithDefaults: {
    reason: 'the server’s defaults in an atomic list are no drift',
    live: after(podWith({ tolerations: [{ key: 'a', effect: '' }] }), ({ spec }) => {
      spec.template.spec.tolerations = [{ key: 'a', operator: 'Equal' }];
    }),
    wanted: podWith({ tolerations: [{ key: 'a', effect: '' }] }),
    want: [],
  },
  AtomicLonger: {
    reason: 'another item in an atomic list is drift',
    live: edited(
      after(podWith({ tolerations: [{ key: 'a' }] })),
      { by: 'kubectl', at },
      ({ spec }) => {
        spec.template.spec.tolerations.push({ key: 'b' });
      },
    ),
    wanted: podWith({ tolerations: [{ key: 'a' }] }),
    want: [
      difference(
        'spec.template.spec.tolerations',
        [{ key: 'a' }, { key: 'b' }],
        [{ key: 'a' }],
        by('kubectl'),
      ),
    ],
  },
  AtomicOrder: {
    reason: 'the order of an atomic list counts',
    live: after(podWith({ tolerations: [{ key: 'a' }, { key: 'b' }] })),
    wanted: podWith({ tolerations: [{ key: 'b' }, { key: 'a' }] }),
    want: [
      difference(
        'spec.template.spec.tolerations',
        [{ key: 'a' }, { key: 'b' }],
        [{ key: 'b' }, { key: 'a' }],
      ),
    ],
  },
  KeyedOrder: {
    reason: 'the order of a list merged by key does not count',
    live: after(
      podWith({
        containers: [
          { name: 'nginx', image: 'nginx:latest' },
          { name: 'b', image: 'b' },
        ],
      }),
    ),
    wanted: podWith({
      containers: [
        { name: 'b', image: 'b' },
        { name: 'nginx', image: 'nginx:latest' },
      ],
    }),
    want: [],
  },
  SetOrder: {
    reason: 'the order of a set does not count',
    live: after({
      ...fooWants,
      metadata: { ...(fooWants.metadata as JsonObject), finalizers: ['a/b', 'c/d'] },
    }),
    wanted: {
      ...fooWants,
      metadata: { ...(fooWants.metadata as JsonObject), finalizers: ['c/d', 'a/b'] },
    },
    want: [],
  },
  SetChanged: {
    reason: 'a value added to or missing from a set is one difference of the whole set',
    live: after({
      ...fooWants,
      metadata: { ...(fooWants.metadata as JsonObject), finalizers: ['a/b'] },
    }),
    wanted: {
      ...fooWants,
      metadata: { ...(fooWants.metadata as JsonObject), finalizers: ['c/d', 'a/b'] },
    },
    want: [difference('metadata.finalizers', ['a/b'], ['c/d', 'a/b'])],
  },
};

describe('drift of desired fields', () => {
  it.each(Object.entries(specs))('%s', (_, { reason, live, wanted = fooWants, want }) => {
    expect(drift(wanted, observeChild(live)), reason).toEqual(want);
  });
});
