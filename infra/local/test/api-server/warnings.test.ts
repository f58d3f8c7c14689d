import { expect, test } from 'vitest';
import { warningHeaders } from '../../api-server/http/warnings.ts';

const bytes = (text: string): string => Buffer.from(text).toString('latin1');
const many = (count: number, length: number) =>
  Array.from({ length: count }, (_, at) => `${at}`.padEnd(length, '.'));

test.each([
  { reason: 'quoted', given: ['a "b" \\'], want: ['299 - "a \\"b\\" \\\\"'] },
  { reason: 'each once', given: ['a', 'b', 'a'], want: ['299 - "a"', '299 - "b"'] },
  {
    reason: 'as bytes beyond ASCII',
    given: ['ключ é 日本'],
    want: [bytes('299 - "ключ é 日本"')],
  },
  { reason: 'not with a line break', given: ['a\nb', 'c', ''], want: ['299 - "c"'] },
  {
    reason: 'whole up to 4096 characters',
    given: many(4, 1024),
    want: many(4, 1024).map((one) => `299 - "${one}"`),
  },
  {
    reason: 'shortened beyond',
    given: many(5, 1024),
    want: many(5, 1024).map((one) => `299 - "${one.slice(0, 256)}"`),
  },
])('a warning is sent $reason', ({ given, want }) => {
  expect(warningHeaders(given)).toEqual(want);
});

test('of many warnings the last are left out', () => {
  expect(warningHeaders(many(20_000, 30))).toHaveLength(Math.ceil(4096 / 30));
});
