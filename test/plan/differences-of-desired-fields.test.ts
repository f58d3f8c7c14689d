import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { at, by, type DifferenceCase, difference } from '../support/differences.ts';
import { applied, type Draft, edited, scaled } from '../support/edits.ts';
import { foo } from '../support/resources.ts';
import { applyBody, changesOf, fieldsOfChild } from '../support/worlds.ts';

const container = 'spec.template.spec.containers[name="nginx"]';

const fooWants = fieldsOfChild(foo(), 'Deployment');

const fooWith = (spec: JsonObject) => fieldsOfChild(foo({ spec }), 'Deployment');
const withBody = (body: JsonObject): JsonObject => ({
  ...fooWants,
  spec: { ...(fooWants.spec as JsonObject), ...body },
});
/** The Deployment of the sample Foo after we applied these fields. */
const after = (desired: JsonObject, drop: (draft: Draft) => void = () => {}): KubeObject => {
  const live = applied(
    fooDeployment(),
    { by: 'serverless-reconciler' },
    applyBody(fooDeployment(), desired),
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

const specs: Record<string, DifferenceCase> = {
  'F-3 Changed': {
    reason: 'a newly desired value has no writer',
    live: fooDeployment(),
    desired: fooWith({ replicas: 3 }),
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
    desired: fooWith({ replicas: 3 }),
    want: [difference('spec.replicas', 1, 3)],
  },
  'F-1 Dropped': {
    reason: 'a field that is no longer desired is still in our entry',
    live: fooDeployment(),
    desired: fooWith({ replicas: undefined }),
    want: [difference('spec.replicas', 1, undefined)],
  },
  'F-1 NotOurs': {
    reason: 'a field that was never desired may have any value',
    live: scaled(fooDeployment(), 7),
    desired: fooWith({ replicas: undefined }),
    want: [],
  },
  ItemDropped: {
    reason: 'an item that is no longer desired is still in our entry',
    live: fooDeployment(),
    desired: withBody({
      template: {
        metadata: { labels: { app: 'nginx', controller: 'foo-sample' } },
        spec: { containers: [{ name: 'web', image: 'nginx:latest' }] },
      },
    }),
    want: [
      difference(container, { name: 'nginx', image: 'nginx:latest' }, undefined),
      difference('spec.template.spec.containers[name="web"]', undefined, {
        name: 'web',
        image: 'nginx:latest',
      }),
    ],
  },
  FalseRemoved: {
    reason:
      'the server keeps a false that differs from no value: others removed it, and restored our entry',
    live: after(podWith({ automountServiceAccountToken: false }), ({ spec }) => {
      delete spec.template.spec.automountServiceAccountToken;
    }),
    desired: podWith({ automountServiceAccountToken: false }),
    want: [difference('spec.template.spec.automountServiceAccountToken', undefined, false)],
  },
  ZeroNeverSent: {
    reason: 'a default other than zero may be present although we never wrote',
    live: fooDeployment(),
    desired: podWith({ terminationGracePeriodSeconds: 0 }),
    want: [difference('spec.template.spec.terminationGracePeriodSeconds', undefined, 0)],
  },
  ExistenceOnly: {
    reason: 'others may fill a map that we sent empty',
    live: edited(after(podWith({ securityContext: {} })), { by: 'admission' }, ({ spec }) => {
      spec.template.spec.securityContext.runAsNonRoot = true;
    }),
    desired: podWith({ securityContext: {} }),
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
    desired: podWith({ tolerations: [{ key: 'a' }] }),
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
    desired: podWith({ tolerations: [{ key: 'b' }, { key: 'a' }] }),
    want: [
      difference(
        'spec.template.spec.tolerations',
        [{ key: 'a' }, { key: 'b' }],
        [{ key: 'b' }, { key: 'a' }],
      ),
    ],
  },
  SetChanged: {
    reason: 'a value added to or missing from a set is one difference of the whole set',
    live: after({
      ...fooWants,
      metadata: { ...(fooWants.metadata as JsonObject), finalizers: ['a/b'] },
    }),
    desired: {
      ...fooWants,
      metadata: { ...(fooWants.metadata as JsonObject), finalizers: ['c/d', 'a/b'] },
    },
    want: [difference('metadata.finalizers', ['a/b'], ['c/d', 'a/b'])],
  },
};

describe('drift of desired fields', () => {
  it.each(casesOf(specs))('%s', (_, { live, desired = fooWants, want }) => {
    expect(changesOf(live, desired)).toEqual(want);
  });
});
