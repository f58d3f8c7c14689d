import { describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import type { Impact } from '../../shared/kinds/impact.ts';
import type { Decision } from '../../shared/plan/decision/decision.ts';
import { impactOf } from '../../shared/plan/decision/decision-impact.ts';
import { about, creationOf, deletionOf, lock, updateOf } from '../support/impacts.ts';

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
  readonly why: string;
  readonly want: readonly Impact[];
  readonly fields: Update[1]['fields'];
  readonly handOver?: Update[1]['handOver'];
}

/** Covers what the engine decides; the cases of each type are in `test/child-types`. */
const updates: Record<string, Case> = {
  'ownership of the template': {
    type: deployment,
    fields: { 'spec.template.spec.containers[name="web"].image': ['a', 'a'] },
    want: [],
    why: 'the value stays',
  },
  'replicas that are handed over': {
    type: silent,
    fields: { 'spec.replicas': [3, undefined] },
    handOver: { spec: { replicas: 3 } },
    want: [],
    why: 'the value stays',
  },
  'cleared managedFields': {
    type: deployment,
    fields: { 'metadata.managedFields': [undefined, undefined] },
    want: ['unknown'],
    why: 'everything is applied to an unknown state',
  },
  'a custom resource whose type declares no impact': {
    type: silent,
    fields: { 'spec.size': [1, 2] },
    want: ['unknown'],
    why: 'another controller acts on it',
  },
  'a label of a custom resource whose type declares no impact': {
    type: silent,
    fields: { 'metadata.labels.a': ['x', 'y'] },
    want: [],
    why: 'the spec stays',
  },
  'a custom resource whose type declares its impact': {
    type: speaking,
    fields: { 'spec.size': [1, 2] },
    want: ['data-loss', 'restart'],
    why: 'each impact is listed once, the gravest first',
  },
};

describe('an update', () => {
  it.each(Object.entries(updates))('%s', (_, { type, fields, handOver, want, why }) => {
    expect(impactOf(updateOf(type, { fields, handOver })), why).toEqual(want);
  });
});

it('a recreation has the impact of the deletion', () => {
  const update = updateOf(deployment, { fields: { 'spec.selector': ['a', 'b'] } });
  expect(impactOf({ ...update, recreates: true } as Decision)).toEqual(['interrupt']);
});

it('a type that declares no impact: a creation disrupts nothing, a deletion is unknown', () => {
  expect(impactOf(creationOf(silent))).toEqual([]);
  expect(impactOf(deletionOf(silent))).toEqual(['unknown']);
});

it('withdrawn paths are closed, and a decision that writes no field changes nothing', () => {
  const difference = { path: 'spec.rules', from: [], to: [], writer: undefined };
  expect(impactOf({ ...about(ingress), verb: 'withdraw', lock, difference })).toEqual(['close']);
  expect(impactOf({ ...about(deployment), verb: 'consolidate', lock })).toEqual([]);
  expect(impactOf({ ...about(deployment), verb: 'none' })).toEqual([]);
});
