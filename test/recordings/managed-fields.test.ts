import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changedFields, fieldValuesOf } from '../../infra/recordings/history/managed-fields.ts';
import type { FieldsV1, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { effort } from '../properties/runs.ts';

const named = (fields: object, live: object) => [
  ...fieldValuesOf(fields as FieldsV1, live as unknown as KubeObject),
];

describe('namedFields', () => {
  test.each<[string, object, object, readonly (readonly [string, unknown])[]]>([
    [
      'nested fields with their values',
      { 'f:spec': { '.': {}, 'f:replicas': {}, 'f:paused': {} } },
      { spec: { replicas: 5 } },
      [
        ['spec.replicas', 5],
        ['spec.paused', undefined],
      ],
    ],
    [
      'items of a list by their keys, whatever their order',
      { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {} } } },
      { ports: [{ port: 81 }, { protocol: 'TCP', port: 80, name: 'web' }] },
      [['ports[port=80,protocol="TCP"].name', 'web']],
    ],
    [
      'a set as a whole',
      { 'f:finalizers': { 'v:"a"': {} } },
      { finalizers: ['a'] },
      [['finalizers', ['a']]],
    ],
    ['no item with a malformed key', { 'f:ports': { 'k:nonsense': {} } }, { ports: [{}] }, []],
    [
      'a field of an object that was not read',
      { 'f:data': { 'f:token': {} } },
      {},
      [['data.token', undefined]],
    ],
  ])('returns %s', (_, fields, live, expected) => {
    expect(named(fields, live)).toEqual(expected);
  });

  test('ends at a depth that no API server accepts', () => {
    let fields: object = {};
    for (let level = 0; level < 100_000; level++) fields = { 'f:a': fields };
    expect(named(fields, {})).toHaveLength(1);
    expect(named({ 'f:spec': {} }, { spec: fields })).toEqual([['spec', undefined]]);
  });

  test('never throws, whatever a recording contains', () => {
    const fields = fc.letrec((tie) => ({
      node: fc.dictionary(
        fc.oneof(
          fc.constantFrom(
            'f:a',
            'f:__proto__',
            'k:{"a":1}',
            'k:[1]',
            'k:null',
            'k:',
            'v:1',
            '.',
            '',
          ),
          fc.string(),
        ),
        fc.oneof({ maxDepth: 4 }, fc.jsonValue(), tie('node')),
      ),
    })).node;
    fc.assert(
      fc.property(fields, fc.jsonValue(), (entry, live) => {
        named(entry as object, live as object);
      }),
      effort(300),
    );
  });
});

describe('changedFields', () => {
  const before = new Map<string, JsonObject | number>([
    ['spec.replicas', 2],
    ['spec.selector', { a: 'b' }],
  ]);

  test('returns changed and added fields', () => {
    const after = new Map([...before, ['spec.replicas', 5] as const, ['spec.paused', 1] as const]);
    expect(changedFields('Deployment', before, after)).toEqual([
      { path: 'spec.replicas', from: 2, to: 5, writer: undefined },
      { path: 'spec.paused', from: undefined, to: 1, writer: undefined },
    ]);
  });

  test('shows neither values of a Secret nor the last-applied annotation', () => {
    expect(changedFields('Secret', before, new Map([['data.token', 'a']]))).toEqual([]);
    const annotation = 'metadata.annotations.kubectl.kubernetes.io/last-applied-configuration';
    expect(changedFields('Shop', new Map(), new Map([[annotation, '{"token":"a"}']]))).toEqual([
      { path: annotation, from: undefined, to: '(secret changed)', writer: undefined },
    ]);
  });
});
