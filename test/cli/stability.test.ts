import { expect, it } from 'vitest';
import {
  type ComparisonSample,
  nextStability,
  type Stability,
  unstable,
} from '../../infra/cli/commands/compare.ts';

interface Case {
  readonly checks: readonly Omit<ComparisonSample, 'at'>[];
  readonly want: Stability;
}

const agree: Omit<ComparisonSample, 'at'> = { agrees: true, pending: [] };
const differ: Omit<ComparisonSample, 'at'> = { agrees: false, pending: [] };
const pending = (...keys: readonly string[]): Omit<ComparisonSample, 'at'> => ({
  agrees: true,
  pending: keys,
});

const cases: Readonly<Record<string, Case>> = {
  'counts from the first check that agrees': {
    checks: [differ, agree, agree],
    want: { since: 1, pending: [] },
  },
  'ends at a difference': { checks: [agree, agree, differ], want: unstable },
  'starts again after a difference': {
    checks: [agree, differ, agree],
    want: { since: 2, pending: [] },
  },
  'remembers resources that were settled once': {
    checks: [pending('a', 'b'), pending('b', 'c'), pending('a', 'b')],
    want: { since: 0, pending: ['b'] },
  },
  'keeps a settled resource settled after a later edit': {
    checks: [agree, pending('a')],
    want: { since: 0, pending: [] },
  },
  'forgets settled resources at a difference': {
    checks: [agree, differ, pending('a')],
    want: { since: 2, pending: ['a'] },
  },
};

it.each(Object.entries(cases))('an agreement of two versions %s', (_, { checks, want }) => {
  const found = checks.reduce(
    (stability, check, at) => nextStability(stability, { ...check, at }),
    unstable,
  );
  expect(found).toEqual(want);
});
