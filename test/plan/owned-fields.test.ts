import { describe, expect, it } from 'vitest';
import type { FieldsV1 } from '../../shared/kubernetes.ts';
import { type OwnedFields, ownedFields } from '../../shared/plan/owned-fields.ts';

interface Case {
  readonly reason: string;
  readonly given: { readonly fields: FieldsV1; readonly live: unknown };
  readonly want: Partial<OwnedFields>;
}

const cases: Record<string, Case> = {
  Nothing: {
    reason: 'an entry may name nothing that the object still has',
    given: { fields: { 'f:spec': { 'f:gone': { 'f:deep': {} } } }, live: { spec: {} } },
    want: { value: { spec: {} }, unset: ['spec.gone'] },
  },
  Fields: {
    reason: 'named fields and no others',
    given: { fields: { 'f:spec': { 'f:a': {} } }, live: { spec: { a: 1, b: 2 } } },
    want: { value: { spec: { a: 1 } } },
  },
  DotsInNames: {
    reason: 'a name is used literally',
    given: {
      fields: { 'f:metadata': { 'f:labels': { 'f:app.kubernetes.io/name': {} } } },
      live: { metadata: { labels: { 'app.kubernetes.io/name': 'x', app: 'y' } } },
    },
    want: { value: { metadata: { labels: { 'app.kubernetes.io/name': 'x' } } } },
  },
  Null: {
    reason: 'null is a value',
    given: { fields: { 'f:a': {} }, live: { a: null } },
    want: { value: { a: null } },
  },
  WholeMap: {
    reason: 'an atomic map is named as a whole',
    given: { fields: { 'f:selector': {} }, live: { selector: { a: 'b' } } },
    want: { value: { selector: { a: 'b' } }, leafMaps: ['selector'] },
  },
  WholeList: {
    reason: 'so is an atomic list',
    given: { fields: { 'f:args': {} }, live: { args: ['a', { b: 1 }] } },
    want: { value: { args: ['a', { b: 1 }] } },
  },
  Set: {
    reason: 'of a set only its own values',
    given: {
      fields: { 'f:finalizers': { '.': {}, 'v:"a"': {}, 'v:1': {} } },
      live: { finalizers: ['b', 'a', 1] },
    },
    want: { value: { finalizers: ['a', 1] }, listKeys: { finalizers: [] } },
  },
  Keyed: {
    reason: 'of a list merged by key its own items, in the order of the list',
    given: {
      fields: {
        'f:c': {
          'k:{"name":"b"}': { '.': {}, 'f:name': {}, 'f:image': {} },
          'k:{"name":"a"}': { '.': {}, 'f:name': {} },
        },
      },
      live: {
        c: [
          { name: 'a', image: 'x' },
          { name: 'z', image: 'z' },
          { name: 'b', image: 'y' },
        ],
      },
    },
    want: { value: { c: [{ name: 'a' }, { name: 'b', image: 'y' }] }, listKeys: { c: ['name'] } },
  },
  PartOfItem: {
    reason: 'an item without its key could not be identified',
    given: {
      fields: { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { 'f:nodePort': {} } } },
      live: { ports: [{ port: 80, protocol: 'TCP', nodePort: 31999, targetPort: 80 }] },
    },
    want: {
      value: { ports: [{ port: 80, protocol: 'TCP', nodePort: 31999 }] },
      listKeys: { ports: ['port', 'protocol'] },
    },
  },
  WholeItem: {
    reason: 'an item may be atomic, as an owner reference is',
    given: {
      fields: { 'f:refs': { 'k:{"uid":"u"}': {} } },
      live: {
        refs: [
          { uid: 'u', name: 'a' },
          { uid: 'v', name: 'b' },
        ],
      },
    },
    want: {
      value: { refs: [{ uid: 'u', name: 'a' }] },
      listKeys: { refs: ['uid'] },
      leafMaps: ['refs[uid="u"]'],
    },
  },
  ListOnly: {
    reason: 'its existence alone does not define how it is merged',
    given: { fields: { 'f:env': { '.': {} } }, live: { env: [{ name: 'A' }] } },
    want: { value: { env: [] } },
  },
  DroppedZeros: {
    reason: 'the server drops zero values from the object, not from the entry',
    given: {
      fields: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
      live: { spec: { replicas: 0 } },
    },
    want: { value: { spec: { replicas: 0 } }, unset: ['spec.paused'] },
  },
};

describe('ownedFields', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    const nothing = { value: undefined, listKeys: {}, leafMaps: [], unset: [] };
    expect(ownedFields(given.fields, given.live), reason).toStrictEqual({ ...nothing, ...want });
  });
});
