import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { differencesBetween } from '../../shared/plan/drift/differences.ts';
import { casesOf } from '../support/cases.ts';
import { applied, type Draft, edited } from '../support/edits.ts';
import { identity, observeChild } from '../support/observe.ts';

const ours = identity.name;
const empty = (apiVersion: string, kind: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-11-26T10:00:00Z',
  },
});
const apply = (live: KubeObject, fields: JsonObject, by = ours): KubeObject =>
  applied(live, { by }, { apiVersion: live.apiVersion, kind: live.kind, ...fields } as never);
const deployment = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata,
  spec: { selector: {}, template: { spec } },
});
const container = { name: 'a', image: 'a:1' };

interface Case {
  readonly reason: string;
  readonly kind?: readonly [string, string];
  readonly desired: JsonObject;
  /** The applied fields; by default those of the previous apply. */
  readonly before?: JsonObject;
  readonly edit?: (draft: Draft) => void;
  readonly want: readonly object[];
}

const cases: Record<string, Case> = {
  Nothing: {
    reason: 'repeating an apply changes nothing',
    desired: deployment({ containers: [container] }),
    want: [],
  },
  Value: {
    reason: 'a changed field has its path, both values and its writer',
    desired: deployment({ containers: [container] }),
    edit: ({ spec }) => {
      spec.template.spec.containers[0].image = 'b:2';
    },
    want: [
      {
        path: 'spec.template.spec.containers[name="a"].image',
        from: 'b:2',
        to: 'a:1',
        writer: { manager: 'kubectl-edit', time: '2026-11-21T11:00:00Z' },
      },
    ],
  },
  Order: {
    reason: 'a reordered list is shown by the keys of its items',
    before: deployment({ containers: [container, { ...container, name: 'b' }] }),
    desired: deployment({ containers: [{ ...container, name: 'b' }, container] }),
    want: [
      {
        path: 'spec.template.spec.containers',
        from: ['[name="a"]', '[name="b"]'],
        to: ['[name="b"]', '[name="a"]'],
      },
    ],
  },
  Item: {
    reason: 'a new item of a list is shown as a whole',
    before: deployment({ containers: [container] }),
    desired: deployment({ containers: [container, { ...container, name: 'b' }] }),
    want: [
      {
        path: 'spec.template.spec.containers[name="b"]',
        from: undefined,
        to: { name: 'b', image: 'a:1' },
      },
    ],
  },
  Dropped: {
    reason: 'a field that is no longer desired is removed',
    before: deployment({ containers: [container] }, { annotations: { a: 'b' } }),
    desired: deployment({ containers: [container] }),
    want: [{ path: 'metadata', from: { annotations: { a: 'b' } }, to: undefined }],
  },
  Ownership: {
    reason: 'without managedFields no field is removed, because ours are unknown',
    desired: { data: { a: 'b' } },
    kind: ['v1', 'ConfigMap'],
    edit: (draft) => {
      draft.metadata.managedFields = [];
    },
    want: [{ path: 'metadata.managedFields', from: undefined, to: undefined }],
  },
  Secret: {
    reason: 'values of a Secret are concealed',
    kind: ['v1', 'Secret'],
    before: { data: { a: 'eA==' } },
    desired: { data: { a: 'eQ==' } },
    want: [{ path: 'data.a', from: '(secret)', to: '(secret changed)' }],
  },
};

describe('what an apply changes', () => {
  it.each(casesOf(cases))('%s', (_, { kind, desired, before = desired, edit, want }) => {
    const [apiVersion, name] = kind ?? ['apps/v1', 'Deployment'];
    const first = apply(empty(apiVersion, name), before);
    const live = edit === undefined ? first : edited(first, { by: 'kubectl-edit' }, edit);
    const response = apply(live, desired);
    const found = differencesBetween(observeChild(live), observeChild(response));
    expect(found).toMatchObject(want);
    expect(found).toHaveLength(want.length);
  });

  it('shows that an empty map is owned again after another manager has filled it by force', () => {
    // The API server stores no empty data, but keeps its owner.
    const { data: _, ...stored } = apply(empty('v1', 'ConfigMap'), { data: {} });
    const live = apply(stored, { data: { a: 'b' } }, 'flux');
    const response = apply(live, { data: {} });
    expect(differencesBetween(observeChild(live), observeChild(response))).toMatchObject([
      { path: 'data', from: { a: 'b' }, to: { a: 'b' }, writer: { manager: 'flux' } },
    ]);
  });

  it('omits the status, the generation and the resourceVersion', () => {
    const live = apply(empty('apps/v1', 'Deployment'), deployment({ containers: [container] }));
    const response = {
      ...live,
      metadata: { ...live.metadata, resourceVersion: '2', generation: 7 },
      status: { replicas: 3 },
    } as KubeObject;
    expect(differencesBetween(observeChild(live), observeChild(response))).toEqual([]);
  });
});
