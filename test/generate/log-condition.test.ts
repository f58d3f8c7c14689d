import { describe, expect, it } from 'vitest';
import { holds, type LogCondition, queryOf } from '../../infra/generate/audit/log-condition.ts';

describe('a log condition', () => {
  const entry = { labels: { 'a/b': 'X' }, n: 5 };
  const cases: Record<string, { condition: LogCondition; query: string; want: boolean }> = {
    EqualsIgnoresCase: {
      condition: { field: ['labels', 'a/b'], equals: 'x' },
      query: 'labels."a/b"="x"',
      want: true,
    },
    MatchesHeedsCase: {
      condition: { field: ['labels', 'a/b'], matches: '^x' },
      query: 'labels."a/b"=~"^x"',
      want: false,
    },
    MissingMeetsNone: { condition: { field: ['m'], above: 0 }, query: 'm>0', want: false },
    NotOfMissing: {
      condition: { not: { field: ['m'], equals: 'x' } },
      query: 'NOT m="x"',
      want: true,
    },
    NestedAll: {
      condition: {
        any: [
          { field: ['m'], present: true },
          {
            all: [
              { field: ['n'], above: 4 },
              { field: ['labels'], present: true },
            ],
          },
        ],
      },
      query: '(m:* OR (n>4 AND labels:*))',
      want: true,
    },
    QuotesInText: {
      condition: { field: ['n'], equals: 'say "x"' },
      query: String.raw`n="say \"x\""`,
      want: false,
    },
  };
  it.each(Object.entries(cases))('%s', (_, { condition, query, want }) => {
    expect(queryOf(condition)).toBe(query);
    expect(holds(condition, entry)).toBe(want);
  });
});
