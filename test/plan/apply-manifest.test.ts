import { describe, expect, it } from 'vitest';
import { withoutUndefined } from '../../shared/canonical.ts';
import type { Child } from '../../shared/kinds/child.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { desiredFields, manifestOf } from '../../shared/plan/observed/apply-manifest.ts';
import { childLabels } from '../../shared/plan/observed/world.ts';
import { foo } from '../../systems/foo.ts';
import { casesOf } from '../support/cases.ts';
import { identity } from '../support/observe.ts';

const resource = {
  name: 'bar',
  namespace: 'team-a',
  uid: 'u1',
  createdAt: '2026-01-01T00:00:00Z',
  spec: {},
};
const own = {
  'app.kubernetes.io/managed-by': 'serverless-reconciler',
  'app.kubernetes.io/part-of': 'foo',
  'app.kubernetes.io/instance': 'bar',
};
const owner = {
  apiVersion: 'example.com/v1alpha1',
  kind: 'Foo',
  name: 'bar',
  uid: 'u1',
  controller: true,
  blockOwnerDeletion: true,
};

interface Case {
  readonly reason: string;
  readonly given: Partial<Child>;
  readonly want: object;
}

const cases: Record<string, Case> = {
  'C-1 Plain': {
    reason: 'our labels and one controller reference are added to the fields that the kind desires',
    given: {},
    want: { spec: { a: 1 }, metadata: { labels: own, ownerReferences: [owner] } },
  },
  'C-1 WithLabels': {
    reason: 'a kind can add labels, but cannot override ours',
    given: { labels: { app: 'x', 'app.kubernetes.io/instance': 'wrong' } },
    want: {
      spec: { a: 1 },
      metadata: { labels: { app: 'x', ...own }, ownerReferences: [owner] },
    },
  },
  'C-1 WithAnnotations': {
    reason: 'annotations are sent only if the kind sets some',
    given: { annotations: { note: 'y' } },
    want: {
      spec: { a: 1 },
      metadata: { labels: own, annotations: { note: 'y' }, ownerReferences: [owner] },
    },
  },
  'C-1 WithoutAnnotations': {
    reason: 'an empty map is omitted, because we would own it while others fill it',
    given: { annotations: {} },
    want: { spec: { a: 1 }, metadata: { labels: own, ownerReferences: [owner] } },
  },
  Undefined: {
    reason: 'an undefined field is omitted, because it would always be drift; an empty map is kept',
    given: {
      labels: { app: undefined as never },
      annotations: { note: undefined as never },
      body: { data: { a: undefined }, list: [{ b: undefined, c: 0 }], d: undefined },
    },
    want: {
      data: {},
      list: [{ c: 0 }],
      metadata: { labels: own, annotations: {}, ownerReferences: [owner] },
    },
  },
};

describe('desiredFields', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    const child = { type: deployment, name: 'web', body: { spec: { a: 1 } }, ...given };
    expect(withoutUndefined(desiredFields({ identity, kind: foo, resource }, child))).toStrictEqual(
      want,
    );
  });

  it("C-12 label the child with a legal form of the resource's name", () => {
    expect(childLabels({ identity, kind: foo, resource: { name: 'b'.repeat(100) } })).toEqual({
      ...own,
      'app.kubernetes.io/instance': expect.stringMatching(/^b{52}_[0-9a-f]{10}$/),
    });
  });
});

describe('manifestOf', () => {
  const at = {
    child: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    namespace: 'team-a',
  };
  const fields = { spec: { a: 1 }, metadata: { labels: { b: 'c' } } };

  it('locks a create with the resource version 1, which no live object has', () => {
    expect(manifestOf(at, fields, 'absent')).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'team-a', labels: { b: 'c' }, resourceVersion: '1' },
      spec: { a: 1 },
    });
  });

  it('locks an update to the uid and the version that were read', () => {
    expect(manifestOf(at, fields, { uid: 'u2', resourceVersion: '7' })).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name: 'web',
        namespace: 'team-a',
        labels: { b: 'c' },
        uid: 'u2',
        resourceVersion: '7',
      },
      spec: { a: 1 },
    });
  });

  it('sends no labels, annotations or owner reference if it only hands a field over', () => {
    expect(manifestOf(at, { spec: { replicas: 3 } }, { uid: 'u2', resourceVersion: '7' })).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'team-a', uid: 'u2', resourceVersion: '7' },
      spec: { replicas: 3 },
    });
  });
});
