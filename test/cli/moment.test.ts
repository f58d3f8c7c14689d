import { expect, test } from 'vitest';
import { momentOf } from '../../infra/cli/commands/why.ts';

const now = new Date('2026-11-26T08:00:00Z');

test.each([
  ['03:12', '2026-11-26T03:12:59.999Z', 'includes its minute'],
  ['08:00', '2026-11-26T08:00:59.999Z', 'is today in the present minute'],
  ['23:30', '2026-11-25T23:30:59.999Z', 'is yesterday if it is still to come today'],
  ['03:12:04', '2026-11-26T03:12:04.999Z', 'includes its second'],
  ['2026-11-23T03:12:04.117Z', '2026-11-23T03:12:04.117Z', 'is exact with a fraction'],
  ['2026-11-23 03:12', '2026-11-23T03:12:59.999Z', 'is in UTC without a zone'],
  ['2026-11-23T03:12+01:00', '2026-11-23T02:12:59.999Z', 'is in its zone'],
  ['01:30+14:00', '2026-11-25T11:30:59.999Z', 'is today in its zone'],
  ['20:30-12:00', '2026-11-25T08:30:59.999Z', 'is yesterday in its zone, not today'],
  ['2027-01-01T00:00Z', '2027-01-01T00:00:59.999Z', 'may be in the future with a date'],
])('%s until %s: %s', (text, until) => {
  expect(new Date(momentOf(text, now)).toISOString()).toBe(until);
});

test('a zone ahead of UTC may have the next date already', () => {
  const until = momentOf('01:15+02:00', new Date('2026-11-26T23:30:00Z'));
  expect(new Date(until).toISOString()).toBe('2026-11-26T23:15:59.999Z');
});

test.each(['noon', '3:12', '25:00', '2026-11-23', '2026-13-01T00:00', ''])(
  'refuses "%s"',
  (text) => {
    expect(() => momentOf(text, now)).toThrow(/is not a time; write it as 03:12 or 2026-/);
  },
);
