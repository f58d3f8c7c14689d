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
  Absent: { reason: 'neither has a value', held: undefined, wanted: undefined, want: true },
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
  MoreItems: { reason: 'one item more is a difference', held: [1, 2], wanted: [1], want: false },
  FewerItems: { reason: 'one item less is a difference', held: [1], wanted: [1, 2], want: false },
  ListAndMap: { reason: 'a list is not a map', held: [], wanted: {}, want: false },
  OneOfItems: { reason: 'each item has to match', held: [1, 2], wanted: [1, 3], want: false },
  ItemMapForScalar: { reason: 'a map is not a scalar', held: [{ a: 1 }], wanted: [1], want: false },
  ItemZeros: {
    reason: 'a scalar is not a map of zero values',
    held: ['x'],
    wanted: [{ name: '' }],
    want: false,
  },
  ItemDefaults: {
    reason: 'an item may have further fields at every level, which the server defaulted',
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
    reason: 'a missing field is a difference',
    held: [{ name: 'x' }],
    wanted: [{ name: 'x', value: 'y' }],
    want: false,
  },
  ItemZero: {
    reason: 'a missing field is no difference if its value is zero, which the server drops',
    held: [{ name: 'x' }],
    wanted: [{ name: 'x', value: '', tries: 0, on: false, map: {}, list: [] }],
    want: true,
  },
  ItemZeroWanted: {
    reason: 'a zero value differs from a live value',
    held: [{ name: 'x', value: 'y' }],
    wanted: [{ name: 'x', value: '' }],
    want: false,
  },
  ItemNoMap: { reason: 'a scalar is not a map', held: ['x'], wanted: [{ name: 'x' }], want: false },
  NestedLists: {
    reason: 'lists in items are compared item by item',
    held: [{ args: [{ a: 1, b: 2 }] }],
    wanted: [{ args: [{ a: 1 }] }],
    want: true,
  },
  ListsOfLists: {
    reason: 'lists in lists are compared item by item, too',
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
    ['a quantity, and finds another value', 'spec.size', '1025Mi', '1Gi', false],
    ['no quantity in a field that has none', 'spec.name', '1024Mi', '1Gi', false],
    ['a quantity in an item of a list', 'spec.list', [{ size: '1024Mi' }], [{ size: '1Gi' }], true],
    [
      'no quantity in an item of another list',
      'spec.other',
      [{ size: '1024Mi' }],
      [{ size: '1Gi' }],
      false,
    ],
    [
      'a quantity deep in an item',
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
