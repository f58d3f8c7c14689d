import { describe, expect, test } from 'vitest';
import { syntaxProblem } from '../../api-server/json/syntax.ts';
import { jsonCell } from '../../api-server/printing/json-cell.ts';
import { acceptClauses } from '../../api-server/representations/accept.ts';

test.each([
  { given: '{bad', want: "invalid character 'b' looking for beginning of object key string" },
  { given: '', want: 'unexpected end of JSON input' },
  { given: '{"a":1,}', want: "invalid character '}' looking for beginning of object key string" },
  { given: '[1,]', want: "invalid character ']' looking for beginning of value" },
  { given: '{"a" 1}', want: "invalid character '1' after object key" },
  { given: '{"a":1 "b"}', want: `invalid character '"' after object key:value pair` },
  { given: '[1 2]', want: "invalid character '2' after array element" },
  { given: '{} x', want: "invalid character 'x' after top-level value" },
  { given: 'nul', want: 'unexpected end of JSON input' },
  { given: 'nulx', want: "invalid character 'x' in literal null (expecting 'l')" },
  { given: '"a\nb"', want: "invalid character '\\n' in string literal" },
  { given: '"\\x"', want: "invalid character 'x' in string escape code" },
  { given: '"\\u12g4"', want: "invalid character 'g' in \\u hexadecimal character escape" },
  { given: '-a', want: "invalid character 'a' in numeric literal" },
  { given: '1.e', want: "invalid character 'e' after decimal point in numeric literal" },
  { given: '1e+', want: 'unexpected end of JSON input' },
  { given: "'a'", want: "invalid character '\\'' looking for beginning of value" },
  { given: '[[],{"a":[{}]},{', want: 'unexpected end of JSON input' },
  {
    given: `${'['.repeat(200_000)}}`,
    want: "invalid character '}' looking for beginning of value",
  },
])('$want', ({ given, want }) => {
  expect(syntaxProblem(given)).toBe(want);
});

test('what is JSON has no problem', () => {
  expect(syntaxProblem(' {"a": [1, -2.5e3, "\\u00e9", null, true]} ')).toBeUndefined();
});

describe('a cell of a custom resource', () => {
  const now = new Date('2026-01-02T00:00:00Z');
  test.each([
    { reason: 'text', type: 'string', given: 'a', want: 'a' },
    {
      reason: 'a map as JSON with its keys in order',
      type: 'string',
      given: { b: 1, a: [2] },
      want: '{"a":[2],"b":1}',
    },
    { reason: 'a number as text', type: 'string', given: 1.5, want: '1.5' },
    { reason: 'the whole part of a number', type: 'integer', given: 1.5, want: 1 },
    { reason: 'a number', type: 'number', given: 1.5, want: 1.5 },
    { reason: 'nothing of another type', type: 'integer', given: '1', want: null },
    { reason: 'nothing of another type', type: 'boolean', given: 'true', want: null },
    { reason: 'an age', type: 'date', given: '2026-01-01T00:00:00Z', want: '24h' },
    { reason: 'no age of what is no time', type: 'date', given: 'x', want: '<invalid>' },
    { reason: 'nothing of nothing', type: 'string', given: undefined, want: null },
  ])('$reason', ({ type, given, want }) => {
    expect(jsonCell(type, given, now)).toEqual(want);
  });
});

test.each([
  { given: 'a/b;q=0.1,c/d', want: ['c/d', 'a/b'] },
  { given: '*/*,a/b', want: ['a/b', '*/*'] },
  { given: '*', want: ['*/*'] },
  { given: 'a,,a/b/c, x/y', want: ['x/y'] },
])('Accept "$given" prefers $want', ({ given, want }) => {
  expect(acceptClauses(given).map(({ type, subtype }) => `${type}/${subtype}`)).toEqual(want);
});
