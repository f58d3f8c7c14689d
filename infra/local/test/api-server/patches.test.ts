import { describe, expect, test } from 'vitest';
import { readBuiltInSchemas } from '../../api-server/kinds/schemas.ts';
import { applyJsonPatch } from '../../api-server/patches/json-patch.ts';
import { JsonPatchError } from '../../api-server/patches/json-pointer.ts';
import { applyMergePatch } from '../../api-server/patches/merge-patch.ts';
import { applyStrategicMergePatch } from '../../api-server/patches/strategic-merge-patch.ts';

describe('a JSON patch', () => {
  test.each([
    { reason: 'adds', given: [{ op: 'add', path: '/b', value: 1 }], want: { a: [1, 2], b: 1 } },
    {
      reason: 'adds at the end',
      given: [{ op: 'add', path: '/a/-', value: 3 }],
      want: { a: [1, 2, 3] },
    },
    { reason: 'removes', given: [{ op: 'remove', path: '/a/0' }], want: { a: [2] } },
    { reason: 'replaces', given: [{ op: 'replace', path: '/a/1', value: 9 }], want: { a: [1, 9] } },
    {
      reason: 'copies',
      given: [{ op: 'copy', from: '/a/1', path: '/c' }],
      want: { a: [1, 2], c: 2 },
    },
    { reason: 'moves', given: [{ op: 'move', from: '/a', path: '/d' }], want: { d: [1, 2] } },
    { reason: 'tests', given: [{ op: 'test', path: '/a', value: [1, 2] }], want: { a: [1, 2] } },
    {
      reason: 'unescapes names',
      given: [{ op: 'add', path: '/x~1y~0z', value: 1 }],
      want: { a: [1, 2], 'x/y~z': 1 },
    },
    { reason: 'replaces the whole', given: [{ op: 'replace', path: '', value: {} }], want: {} },
  ])('$reason', ({ given, want }) => {
    expect(applyJsonPatch({ a: [1, 2] }, given)).toEqual(want);
  });

  test.each([
    { reason: 'a test that fails', given: { op: 'test', path: '/a', value: 1 } },
    { reason: 'removing nothing', given: { op: 'remove', path: '/b' } },
    { reason: 'a parent that is not there', given: { op: 'add', path: '/b/c', value: 1 } },
    { reason: 'a place behind the end', given: { op: 'add', path: '/a/7', value: 1 } },
    { reason: 'an unknown operation', given: { op: 'bogus', path: '/a' } },
  ])('cannot be done: $reason', ({ given }) => {
    expect(() => applyJsonPatch({ a: [1, 2] }, [given])).toThrow(JsonPatchError);
  });
});

test.each([
  { reason: 'maps merge', given: { a: { c: 2 } }, want: { a: { b: 1, c: 2 }, l: [1] } },
  { reason: 'null removes', given: { a: null }, want: { l: [1] } },
  { reason: 'lists are replaced', given: { l: [2] }, want: { a: { b: 1 }, l: [2] } },
  {
    reason: 'null inside a new map is nothing',
    given: { n: { x: null } },
    want: { a: { b: 1 }, l: [1], n: {} },
  },
])('a merge patch: $reason', ({ given, want }) => {
  expect(applyMergePatch({ a: { b: 1 }, l: [1] }, given)).toEqual(want);
});

describe('a strategic merge patch', () => {
  const schema = readBuiltInSchemas().schemaOf('apps', 'v1', 'Deployment');
  const wrap = (containers: unknown, more: object = {}) => ({
    spec: { template: { spec: { containers, ...more } } },
  });
  const live = wrap([
    { name: 'a', image: '1', env: [{ name: 'X', value: '1' }] },
    { name: 'b', image: '1' },
  ]);

  test.each([
    {
      reason: 'merges items by their key, each in place',
      given: wrap([
        { name: 'b', image: '2' },
        { name: 'c', image: '1' },
      ]),
      want: wrap([
        { name: 'a', image: '1', env: [{ name: 'X', value: '1' }] },
        { name: 'b', image: '2' },
        { name: 'c', image: '1' },
      ]),
    },
    {
      reason: 'deletes an item',
      given: wrap([{ name: 'a', $patch: 'delete' }]),
      want: wrap([{ name: 'b', image: '1' }]),
    },
    {
      reason: 'replaces a list',
      given: wrap([{ $patch: 'replace' }, { name: 'z' }]),
      want: wrap([{ name: 'z' }]),
    },
    {
      reason: 'orders items as directed',
      given: wrap([{ name: 'b' }], {
        '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
      }),
      want: wrap([
        { name: 'b', image: '1' },
        { name: 'a', image: '1', env: [{ name: 'X', value: '1' }] },
      ]),
    },
    {
      reason: 'merges lists within items',
      given: wrap([{ name: 'a', env: [{ name: 'X', value: '2' }] }]),
      want: wrap([
        { name: 'a', image: '1', env: [{ name: 'X', value: '2' }] },
        { name: 'b', image: '1' },
      ]),
    },
  ])('$reason', ({ given, want }) => {
    expect(applyStrategicMergePatch(schema, live, given)).toEqual(want);
  });

  test('deletes from a list of values', () => {
    const given = { metadata: { '$deleteFromPrimitiveList/finalizers': ['x'] } };
    const patched = applyStrategicMergePatch(
      schema,
      { metadata: { finalizers: ['x', 'y'] } },
      given,
    );
    expect(patched).toEqual({ metadata: { finalizers: ['y'] } });
  });
});
