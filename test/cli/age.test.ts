import { expect, it } from 'vitest';
import { ageText } from '../../infra/cli/output/age.ts';
import { casesOf } from '../support/cases.ts';

const now = new Date('2026-11-21T12:00:00Z');

const cases = {
  Now: { reason: 'no time has passed', given: '2026-11-21T12:00:00Z', want: '0s' },
  Future: { reason: 'the clocks may differ', given: '2026-11-21T12:00:09Z', want: '0s' },
  Seconds: {
    reason: 'seconds are used below two minutes',
    given: '2026-11-21T11:58:01Z',
    want: '119s',
  },
  Minutes: {
    reason: 'minutes are used from two minutes on',
    given: '2026-11-21T11:58:00Z',
    want: '2m',
  },
  Hours: { reason: 'an age is truncated, not rounded', given: '2026-11-21T09:01:00Z', want: '2h' },
  Days: { reason: 'a day is the largest unit', given: '2026-11-01T12:00:00Z', want: '20d' },
  Unknown: { reason: 'the age is empty without a time', given: undefined, want: '' },
} as const;

it.each(casesOf(cases))('ageText: %s', (_, { given, want }) => {
  expect(ageText(given, now)).toBe(want);
});
