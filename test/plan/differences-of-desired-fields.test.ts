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
    reason: 'a newly desired field has no other writer',
    live: fooDeployment(),
    desired: fooWith({ replicas: 3 }),
    want: [difference('spec.replicas', 1, 3)],
  },
  'F-3 ChangedAndShared': {
    reason: 'a field that we hold has no other writer, even if another manager shares it',
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
    reason: 'a field that is no longer desired is drift while our entry names it',
    live: fooDeployment(),
    desired: fooWith({ replicas: undefined }),
    want: [difference('spec.replicas', 1, undefined)],
  },
  'F-1 NotOurs': {
    reason: 'a field that was never desired is no drift',
    live: scaled(fooDeployment(), 7),
    desired: fooWith({ replicas: undefined }),
    want: [],
  },
  ItemDropped: {
    reason: 'an item that is no longer desired is drift while our entry names it',
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
    reason: 'a removed false is drift, although our entry still names the field',
    live: after(podWith({ automountServiceAccountToken: false }), ({ spec }) => {
      delete spec.template.spec.automountServiceAccountToken;
    }),
    desired: podWith({ automountServiceAccountToken: false }),
    want: [difference('spec.template.spec.automountServiceAccountToken', undefined, false)],
  },
  ZeroNeverSent: {
    reason: 'a default other than zero is no drift before our first write',
    live: fooDeployment(),
    desired: podWith({ terminationGracePeriodSeconds: 0 }),
    want: [difference('spec.template.spec.terminationGracePeriodSeconds', undefined, 0)],
  },
  ExistenceOnly: {
    reason: 'entries that others add to an empty map are no drift',
    live: edited(after(podWith({ securityContext: {} })), { by: 'admission' }, ({ spec }) => {
      spec.template.spec.securityContext.runAsNonRoot = true;
    }),
    desired: podWith({ securityContext: {} }),
    want: [],
  },
  AtomicLonger: {
    reason: 'an additional item in an atomic list is drift',
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
    reason: 'another order of an atomic list is drift',
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
    reason: 'a value added to or removed from a set is one difference of the whole set',
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
