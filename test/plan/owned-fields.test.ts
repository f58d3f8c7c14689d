import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMap } from '../../shared/canonical.ts';
import type { FieldsV1, Json } from '../../shared/kubernetes.ts';
import { type OwnedFields, ownedFields } from '../../shared/plan/observed/owned-fields.ts';
import { shortJson } from '../../shared/plan/observed/short-text.ts';
import { effort } from '../properties/runs.ts';
import { casesOf } from '../support/cases.ts';

interface Case {
  readonly reason: string;
  readonly given: { readonly fields: FieldsV1; readonly live: unknown };
  readonly want: Partial<OwnedFields>;
}

const cases: Record<string, Case> = {
  Nothing: {
    reason: 'an entry may name only fields that the object no longer has',
    given: { fields: { 'f:spec': { 'f:gone': { 'f:deep': {} } } }, live: { spec: {} } },
    want: { value: { spec: {} }, dropped: ['spec.gone'] },
  },
  Fields: {
    reason: 'only fields that the entry names are read',
    given: { fields: { 'f:spec': { 'f:a': {} } }, live: { spec: { a: 1, b: 2 } } },
    want: { value: { spec: { a: 1 } } },
  },
  DotsInNames: {
    reason: 'the name of a field is used literally',
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
    reason: 'an atomic map is read as a whole',
    given: { fields: { 'f:selector': {} }, live: { selector: { a: 'b' } } },
    want: { value: { selector: { a: 'b' } }, leafMaps: ['selector'] },
  },
  WholeList: {
    reason: 'an atomic list is read as a whole',
    given: { fields: { 'f:args': {} }, live: { args: ['a', { b: 1 }] } },
    want: { value: { args: ['a', { b: 1 }] } },
  },
  EscapedNames: {
    reason: 'the API server writes these characters in names as Go does',
    given: {
      fields: {
        'f:urls': { '.': {}, 'v:"?a=1\\u0026b=\\u003c2\\u003e\\u2028"': {} },
        'f:env': { 'k:{"name":"A\\u0026B"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
      },
      live: { urls: ['?a=1&b=<2>\u2028'], env: [{ name: 'A&B', value: 'x' }] },
    },
    want: {
      value: { env: [{ name: 'A&B', value: 'x' }], urls: ['?a=1&b=<2>\u2028'] },
      listKeys: { env: ['name'], urls: [] },
    },
  },
  Set: {
    reason: 'only the named values of a set count',
    given: {
      fields: { 'f:finalizers': { '.': {}, 'v:"a"': {}, 'v:1': {} } },
      live: { finalizers: ['b', 'a', 1] },
    },
    want: { value: { finalizers: ['a', 1] }, listKeys: { finalizers: [] } },
  },
  Keyed: {
    reason: 'only the named items of a list merged by key count, in the order of the list',
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
    reason: 'an item without its key could not be identified, so its key is added',
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
    reason: 'an item may be atomic, such as an owner reference',
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
    reason: 'an entry that names only the list itself does not tell how it is merged',
    given: { fields: { 'f:env': { '.': {} } }, live: { env: [{ name: 'A' }] } },
    want: { value: { env: [] } },
  },
  DroppedZeros: {
    reason: 'a field that the server dropped has no value',
    given: {
      fields: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
      live: { spec: { replicas: 0 } },
    },
    want: { value: { spec: { replicas: 0 } }, dropped: ['spec.paused'] },
  },
};

describe('a field that others hold beside a value that the server dropped', () => {
  const fields = { 'f:env': { 'k:{"name":"A"}': { 'f:name': {}, 'f:value': {} } } };
  const others = [
    { 'f:env': { 'k:{"name":"A"}': { 'f:name': {}, 'f:valueFrom': { 'f:key': {} } } } },
  ];

  it.each<[string, Json, readonly string[]]>([
    ['is listed', { env: [{ name: 'A', valueFrom: {} }] }, ['env[name="A"].valueFrom']],
    ['is not listed if our value exists', { env: [{ name: 'A', value: 'x', valueFrom: {} }] }, []],
  ])('%s', (_, live, want) => {
    expect(ownedFields(fields, live, { others }).beside).toEqual(want);
  });
});

describe('ownedFields', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    const nothing = { value: undefined, listKeys: {}, leafMaps: [], dropped: [], beside: [] };
    expect(ownedFields(given.fields, given.live)).toStrictEqual({ ...nothing, ...want });
  });
});

/** Builds the fieldsV1 that names every field and item of a value, in reverse order if `reversed`. */
function naming(value: Json | undefined, reversed: boolean): FieldsV1 {
  const items = Array.isArray(value)
    ? value.map((item: Json) => ['k:', nameIn(item), item] as const)
    : [];
  const fields = isMap(value)
    ? Object.entries(value).map(([name, inner]) => ['f:', name, inner] as const)
    : items.every(([, name]) => name !== undefined)
      ? items
      : [];
  const named = fields.map(([sign, name, inner]) => [`${sign}${name}`, naming(inner, reversed)]);
  return Object.fromEntries(reversed ? named.toReversed() : named);
}

const nameIn = (item: Json): string | undefined =>
  isMap(item) && typeof item.name === 'string'
    ? JSON.stringify({ name: item.name })
        .replaceAll('&', '\\u0026')
        .replaceAll('<', '\\u003c')
        .replaceAll('>', '\\u003e')
    : undefined;

const strings = fc.oneof(
  fc.constantFrom('', 'a', '"', '(sha256 x', 'x'.repeat(1025)),
  fc.string({ maxLength: 3 }),
);
const { anything } = fc.letrec<{ anything: Json }>((tie) => ({
  anything: fc.oneof(
    { maxDepth: 4 },
    strings,
    fc.constantFrom(null, true, 0, 1.5),
    fc.dictionary(fc.constantFrom('b', 'a', '10', '9', 'é', 'B'), tie('anything')),
    fc.array(tie('anything'), { maxLength: 3 }),
    fc.uniqueArray(fc.record({ port: tie('anything'), name: strings, at: tie('anything') }), {
      selector: ({ name }) => name,
      maxLength: 3,
    }),
  ),
}));

describe('a value of which an entry names every field', () => {
  it('is read in canonical form, whatever the order of the names', () => {
    fc.assert(
      fc.property(anything, fc.boolean(), (value, reversed) => {
        const live = { spec: value };
        const read = ownedFields(naming(live, reversed), live).value;
        expect(JSON.stringify(read)).toBe(shortJson(live));
      }),
      effort(5_000),
    );
  });
});
