import { expect, it } from 'vitest';
import {
  type Agreement,
  type Look,
  nextAgreement,
  noAgreement,
} from '../../infra/cli/agreement.ts';

interface Case {
  readonly looks: readonly Omit<Look, 'at'>[];
  readonly want: Agreement;
}

const agree: Omit<Look, 'at'> = { agrees: true, pending: [] };
const differ: Omit<Look, 'at'> = { agrees: false, pending: [] };
const pending = (...keys: readonly string[]): Omit<Look, 'at'> => ({ agrees: true, pending: keys });

const cases: Readonly<Record<string, Case>> = {
  'counts from the first look that agrees': {
    looks: [differ, agree, agree],
    want: { since: 1, pending: [] },
  },
  'is over with a difference': { looks: [agree, agree, differ], want: noAgreement },
  'begins anew after one': {
    looks: [agree, differ, agree],
    want: { since: 2, pending: [] },
  },
  'knows what was settled once': {
    looks: [pending('a', 'b'), pending('b', 'c'), pending('a', 'b')],
    want: { since: 0, pending: ['b'] },
  },
  'does not lose what it knows to a later edit': {
    looks: [agree, pending('a')],
    want: { since: 0, pending: [] },
  },
  'forgets what it knew before a difference': {
    looks: [agree, differ, pending('a')],
    want: { since: 2, pending: ['a'] },
  },
};

it.each(Object.entries(cases))('an agreement %s', (_, { looks, want }) => {
  const found = looks.reduce(
    (agreement, look, at) => nextAgreement(agreement, { ...look, at }),
    noAgreement,
  );
  expect(found).toEqual(want);
});
