import { describe, expect, it } from 'vitest';
import { defaultIdentity } from '../../shared/identity.ts';
import type { FieldsV1, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import {
  fieldsHeld,
  hasUnheld,
  leftoversIn,
  patchWithout,
} from '../../shared/plan/drift/leftovers.ts';
import { pathOf } from '../../shared/plan/drift/places.ts';

const ours = defaultIdentity.name;
const app = 'k:{"name":"app"}';

/** Builds a live object whose managers hold these fields of the spec. */
const having = (spec: JsonObject, held: Readonly<Record<string, FieldsV1>> = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: {
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      managedFields: Object.entries(held).map(([manager, names]) => ({
        manager,
        operation: manager === ours ? 'Apply' : 'Update',
        fieldsV1: { 'f:spec': names },
      })),
    },
    spec,
  }) as unknown as KubeObject;

const pathsOf = (upgraded: KubeObject, older: JsonObject, newer: JsonObject): readonly string[] =>
  [...leftoversIn({ upgraded, older: having(older), newer: having(newer) }, defaultIdentity)].map(
    pathOf,
  );

interface Case {
  readonly reason: string;
  readonly upgraded: KubeObject;
  readonly older: JsonObject;
  readonly newer: JsonObject;
  readonly want: readonly string[];
}

describe('leftovers include', () => {
  it.each<Case>([
    {
      reason: 'an alias of a field that we gave up',
      upgraded: having({ account: 'robot', oldAccount: 'robot' }),
      older: { account: 'robot', oldAccount: 'robot' },
      newer: {},
      want: ['spec.account', 'spec.oldAccount'],
    },
    {
      reason: 'a default that followed from the former fields',
      upgraded: having({ egress: [{}], types: ['Ingress'] }, { [ours]: { 'f:egress': {} } }),
      older: { types: ['Ingress'] },
      newer: { egress: [{}], types: ['Ingress', 'Egress'] },
      want: ['spec.types'],
    },
    {
      reason: 'a default within an item of ours, although another manager has an item before it',
      upgraded: having(
        { list: [{ name: 'sidecar' }, { name: 'app', image: 'a', pull: 'IfNotPresent' }] },
        {
          [ours]: { 'f:list': { [app]: { '.': {}, 'f:name': {}, 'f:image': {} } } },
          mesh: { 'f:list': { 'k:{"name":"sidecar"}': { '.': {}, 'f:name': {} } } },
        },
      ),
      older: { list: [{ name: 'app', image: 'a:1', pull: 'IfNotPresent' }] },
      newer: { list: [{ name: 'app', image: 'a', pull: 'Always' }] },
      want: ['spec.list[name="app"].pull'],
    },
    {
      reason: 'of a map without a manager, only the differing part',
      upgraded: having({ rolling: { surge: 1, unavailable: 2 } }),
      older: { rolling: { surge: 1, unavailable: 2 } },
      newer: { rolling: { surge: 1, unavailable: 0 } },
      want: ['spec.rolling.unavailable'],
    },
  ])('$reason', ({ upgraded, older, newer, want }) => {
    expect(pathsOf(upgraded, older, newer)).toEqual(want);
  });
});

describe('leftovers do not include', () => {
  it.each<Omit<Case, 'want'>>([
    {
      reason: 'a field that another manager holds',
      upgraded: having({ replicas: 3 }, { kubectl: { 'f:replicas': {} } }),
      older: { replicas: 3 },
      newer: { replicas: 1 },
    },
    {
      reason: 'a field of ours',
      upgraded: having({ image: 'a' }, { [ours]: { 'f:image': {} } }),
      older: { image: 'a' },
      newer: { image: 'b' },
    },
    {
      reason: 'an allocated value, which differs in each new object',
      upgraded: having({ clusterIP: '10.0.0.1' }),
      older: { clusterIP: '10.0.0.2' },
      newer: { clusterIP: '10.0.0.3' },
    },
    {
      reason: 'a value without a manager that the former fields do not explain',
      upgraded: having({ nodeName: 'node-1' }),
      older: {},
      newer: {},
    },
    {
      reason: 'a default that a new object would have, too',
      upgraded: having({ policy: 'Always' }),
      older: { policy: 'Always' },
      newer: { policy: 'Always' },
    },
    {
      reason: 'an item of others',
      upgraded: having(
        { list: [{ name: 'b', pull: 'Always' }] },
        { mesh: { 'f:list': { 'k:{"name":"b"}': { '.': {}, 'f:name': {} } } } },
      ),
      older: { list: [{ name: 'b', pull: 'Always' }] },
      newer: { list: [] },
    },
  ])('$reason', ({ upgraded, older, newer }) => {
    expect(pathsOf(upgraded, older, newer)).toEqual([]);
  });
});

it('there are no leftovers if each field has a manager', () => {
  const held = having({ a: 1, b: [1] }, { [ours]: { 'f:a': {} }, kubectl: { 'f:b': {} } });
  expect(hasUnheld(held, defaultIdentity)).toBe(false);
  expect(hasUnheld(having({ a: 1 }), defaultIdentity)).toBe(true);
});

it('fields that we hold contain long strings in full', () => {
  const text = 'x'.repeat(10_000);
  const live = having({ text, other: 1 }, { [ours]: { 'f:text': {} } });
  expect(fieldsHeld(live, defaultIdentity)).toEqual({ spec: { text } });
  expect(fieldsHeld(having({ text }), defaultIdentity)).toBeUndefined();
});

it('the patch removes leftovers and applies the desired fields', () => {
  const live = having({ types: ['Ingress'], image: 'a' });
  const upgraded = having({ types: ['Ingress'], image: 'b' });
  const left = [['spec', 'types']];
  expect(patchWithout(left, { live, upgraded })).toEqual([
    { op: 'remove', path: '/spec/types' },
    { op: 'replace', path: '/spec/image', value: 'b' },
  ]);
});
