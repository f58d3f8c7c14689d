import { describe, expect, it } from 'vitest';
import { mergeValues } from '../../api-server/fields/merge.ts';
import { mergeType } from '../../api-server/fields/merge-type.ts';

const list = mergeType({
  root: {
    type: 'object',
    properties: {
      items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    },
  },
  definitions: {},
});

const cases: Record<string, { reason: string; live: string; applied: string; want: string }> = {
  Same: { reason: 'nothing changes', live: 'abc', applied: 'abc', want: 'abc' },
  Appended: { reason: 'new items follow', live: 'ab', applied: 'abc', want: 'abc' },
  Prepended: {
    reason: 'new items are placed where they were sent',
    live: 'bc',
    applied: 'abc',
    want: 'abc',
  },
  Between: { reason: 'also between others', live: 'ac', applied: 'abc', want: 'abc' },
  Reordered: { reason: 'the applied order wins', live: 'abc', applied: 'cba', want: 'cba' },
  Part: { reason: 'items not sent keep their place', live: 'abcd', applied: 'bd', want: 'abcd' },
  PartReordered: { reason: 'as far as it exists', live: 'abcd', applied: 'db', want: 'acdb' },
  Disjoint: { reason: 'live items come first', live: 'ab', applied: 'cd', want: 'abcd' },
  Empty: { reason: 'an empty list removes nothing', live: 'ab', applied: '', want: 'ab' },
};

describe.each(Object.entries(cases))('the order of merged items: %s', (_, row) => {
  it(row.reason, () => {
    const merged = mergeValues({ items: [...row.live] }, { items: [...row.applied] }, list);
    expect((merged as { items: string[] }).items.join('')).toBe(row.want);
  });
});
