import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/kubernetes.ts';
import { covers } from '../../shared/plan/drift/covers.ts';

interface Case {
  readonly reason: string;
  readonly held: Json | undefined;
  readonly wanted: Json | undefined;
  readonly want: boolean;
}

const cases: Record<string, Case> = {
  Equal: { reason: 'equal values', held: 'a', wanted: 'a', want: true },
  Other: { reason: 'other values', held: 'a', wanted: 'b', want: false },
  Absent: { reason: 'neither is there', held: undefined, wanted: undefined, want: true },
  Added: { reason: 'nothing is held', held: undefined, wanted: 'a', want: false },
  KeyOrder: {
    reason: 'the order of keys does not count',
    held: { a: 1, b: 2 },
    wanted: { b: 2, a: 1 },
    want: true,
  },
  MapWithMore: {
    reason: 'a map is compared as a whole',
    held: { a: 1, b: 2 },
    wanted: { a: 1 },
    want: false,
  },
  Items: { reason: 'equal items', held: [1, 2], wanted: [1, 2], want: true },
  ItemOrder: { reason: 'the order of items counts', held: [2, 1], wanted: [1, 2], want: false },
  MoreItems: { reason: 'and so does their number', held: [1, 2], wanted: [1], want: false },
  FewerItems: { reason: 'in either direction', held: [1], wanted: [1, 2], want: false },
  ListAndMap: { reason: 'a list is no map', held: [], wanted: {}, want: false },
  OneOfItems: { reason: 'each has to match', held: [1, 2], wanted: [1, 3], want: false },
  ItemMapForScalar: { reason: 'a map is no scalar', held: [{ a: 1 }], wanted: [1], want: false },
  ItemZeros: {
    reason: 'nor is a scalar a map of zeros',
    held: ['x'],
    wanted: [{ name: '' }],
    want: false,
  },
  ItemDefaults: {
    reason: 'an item may have further fields, at every level: defaults of the server',
    held: [{ name: 'x', port: { number: 80, protocol: 'TCP' }, mode: 1 }],
    wanted: [{ name: 'x', port: { number: 80 } }],
    want: true,
  },
  ItemOtherValue: {
    reason: 'another value below is a difference',
    held: [{ name: 'x', port: { number: 81, protocol: 'TCP' } }],
    wanted: [{ name: 'x', port: { number: 80 } }],
    want: false,
  },
  ItemMissingField: {
    reason: 'a missing field is one',
    held: [{ name: 'x' }],
    wanted: [{ name: 'x', value: 'y' }],
    want: false,
  },
  ItemZero: {
    reason: 'unless its value is zero, as the server drops those',
    held: [{ name: 'x' }],
    wanted: [{ name: 'x', value: '', tries: 0, on: false, map: {}, list: [] }],
    want: true,
  },
  ItemZeroWanted: {
    reason: 'a zero is not what has another value',
    held: [{ name: 'x', value: 'y' }],
    wanted: [{ name: 'x', value: '' }],
    want: false,
  },
  ItemNoMap: { reason: 'a scalar is no map', held: ['x'], wanted: [{ name: 'x' }], want: false },
  NestedLists: {
    reason: 'lists in items are compared item by item',
    held: [{ args: [{ a: 1, b: 2 }] }],
    wanted: [{ args: [{ a: 1 }] }],
    want: true,
  },
  ListsOfLists: {
    reason: 'as are lists in lists',
    held: [[{ a: 1, b: 2 }]],
    wanted: [[{ a: 1 }]],
    want: true,
  },
};

describe('covers', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, held, wanted, want }) => {
    expect(covers(held, wanted, { path: 'spec.x', quantities: [] }), reason).toBe(want);
  });

  it.each([
    ['a quantity by its value', 'spec.size', '1024Mi', '1Gi', true],
    ['and another value is a difference', 'spec.size', '1025Mi', '1Gi', false],
    ['only in the fields that have quantities', 'spec.name', '1024Mi', '1Gi', false],
    ['in an item of a list', 'spec.list', [{ size: '1024Mi' }], [{ size: '1Gi' }], true],
    ['in such an item alone', 'spec.other', [{ size: '1024Mi' }], [{ size: '1Gi' }], false],
    [
      'deep in one',
      'spec.list',
      [{ requests: { cpu: '1000m' } }],
      [{ requests: { cpu: '1' } }],
      true,
    ],
  ])('compares %s', (_, path, held, wanted, want) => {
    const quantities = ['spec.size', 'spec.list[].size', 'spec.list[].requests.'];
    expect(covers(held, wanted, { path, quantities })).toBe(want);
  });
});
