import { describe, expect, it } from 'vitest';
import { deployment, statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { job } from '../../shared/kinds/child-types/batch.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import type { Impact } from '../../shared/kinds/impact.ts';
import { type JsonObject, keyOf } from '../../shared/kubernetes.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import { impactOf } from '../../shared/plan/decision/decision-impact.ts';
import { casesOf } from '../support/cases.ts';
import { databaseStatefulSet } from '../support/children-of-database.ts';
import { about, creationOf, deletionOf, lock, updateOf } from '../support/impacts.ts';
import { observeChild } from '../support/observe.ts';

const gadget = { group: 'example.org', version: 'v1', kind: 'Gadget', plural: 'gadgets' };
const silent = defineChildType(gadget);
const speaking = defineChildType({
  ...gadget,
  impact: ({ verb, fields }) =>
    verb === 'update' && fields.some(({ path }) => path === 'spec.size')
      ? ['restart', 'data-loss', 'restart']
      : [],
});

type Update = Parameters<typeof updateOf>;

interface Case {
  readonly type: Update[0];
  readonly reason: string;
  readonly want: readonly Impact[];
  readonly fields: Update[1]['fields'];
}

/** Covers the engine; the cases of each child type are in `test/child-types`. */
const updates: Record<string, Case> = {
  'ownership of the template': {
    type: deployment,
    fields: { 'spec.template.spec.containers[name="web"].image': ['a', 'a'] },
    want: [],
    reason: 'a field whose value stays has no impact',
  },
  'cleared managedFields': {
    type: deployment,
    fields: { 'metadata.managedFields': [undefined, undefined] },
    want: ['unknown'],
    reason: 'without managedFields the former values are unknown, and so is the impact',
  },
  'a custom resource whose type declares no impact': {
    type: silent,
    fields: { 'spec.size': [1, 2] },
    want: ['unknown'],
    reason: 'a change on which another controller acts has an unknown impact',
  },
  'a label of a custom resource whose type declares no impact': {
    type: silent,
    fields: { 'metadata.labels.a': ['x', 'y'] },
    want: [],
    reason: 'a change outside the spec has no impact',
  },
  'a custom resource whose type declares its impact': {
    type: speaking,
    fields: { 'spec.size': [1, 2] },
    want: ['data-loss', 'restart'],
    reason: 'each impact is listed once, the most severe first',
  },
};

describe('the impact of an update', () => {
  it.each(casesOf(updates))('%s', (_, { type, fields, want }) => {
    expect(impactOf(updateOf(type, { fields }))).toEqual(want);
  });
});

it('the impact of a recreation is that of the deletion', () => {
  const update = updateOf(deployment, { fields: { 'spec.selector': ['a', 'b'] } });
  expect(impactOf({ ...update, recreates: true } as Decision)).toEqual(['interrupt']);
});

const scaledDown = updateOf(statefulSet, { fields: { 'spec.replicas': [3, 0] } });
const selected = updateOf(statefulSet, { fields: { 'spec.selector': ['a', 'b'] } });

const claims: Record<string, Pick<Case, 'reason' | 'want'> & Claims> = {
  'a deletion': {
    reason: 'its claims stay by default',
    decision: deletionOf(statefulSet),
    want: ['interrupt'],
  },
  'a deletion with its claims': {
    reason: 'the live object says so, whoever set that',
    policy: { whenDeleted: 'Delete' },
    decision: deletionOf(statefulSet),
    want: ['data-loss', 'interrupt'],
  },
  'a recreation with its claims': {
    reason: 'the claims belong to the object that is deleted',
    policy: { whenDeleted: 'Delete' },
    decision: { ...selected, recreates: true } as Decision,
    want: ['data-loss', 'interrupt'],
  },
  'fewer replicas': {
    reason: 'only a deletion of the StatefulSet deletes claims',
    policy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    decision: scaledDown,
    want: ['interrupt'],
  },
  'fewer replicas with their claims': {
    reason: 'the live object says so, and the update leaves that',
    policy: { whenScaled: 'Delete' },
    decision: scaledDown,
    want: ['data-loss', 'interrupt'],
  },
};

interface Claims {
  readonly policy?: Readonly<Record<string, string>>;
  readonly decision: Decision;
}

describe('the claims of a StatefulSet', () => {
  it.each(casesOf(claims))('%s', (_, { policy = {}, decision, want }) => {
    const live = databaseStatefulSet({ spec: { persistentVolumeClaimRetentionPolicy: policy } });
    const children = new Map([[keyOf(decision.child), observeChild(live)]]);
    expect(impactOf(decision, { children })).toEqual(want);
  });
});

it('the deletion of a Job interrupts nothing once it is complete', () => {
  const decision = deletionOf(job);
  const impactIn = (conditions: readonly JsonObject[]): readonly Impact[] => {
    const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
    const live = { apiVersion: 'batch/v1', kind: 'Job', metadata, status: { conditions } };
    const children = new Map([[keyOf(decision.child), observeChild(live)]]);
    return impactOf(decision, { children });
  };
  expect(impactIn([])).toEqual(['interrupt']);
  expect(impactIn([{ type: 'Complete', status: 'True' }])).toEqual([]);
});

it('for a type that declares no impact, a creation disrupts nothing and the impact of a deletion is unknown', () => {
  expect(impactOf(creationOf(silent))).toEqual([]);
  expect(impactOf(deletionOf(silent))).toEqual(['unknown']);
});

it('a withdrawal closes paths, and a decision that writes no field has no impact', () => {
  const difference = { path: 'spec.rules', from: [], to: [], writer: undefined };
  expect(impactOf({ ...about(ingress), verb: 'withdraw', lock, difference })).toEqual(['close']);
  expect(impactOf({ ...about(deployment), verb: 'consolidate', lock })).toEqual([]);
  expect(impactOf({ ...about(deployment), verb: 'none' })).toEqual([]);
});
