import { expect, it } from 'vitest';
import type { Schema } from '../../api-server/schema/schema.ts';
import { wrapIntegers } from '../../api-server/schema/wrap-integers.ts';

const root: Schema = {
  type: 'object',
  properties: { count: { type: 'integer', format: 'int32' } },
  'x-kubernetes-group-version-kind': [{ group: '', version: 'v1', kind: 'Counter' }],
};

it.each([
  '{"count":4294967297}',
  '{"count": 42949672.97e2}',
  '{"count":\n4.294967297E9}',
  'count: 4294967297',
  'count: +4294967297',
  'count: .4294967297e10',
  '{count: 4294967297}',
])('an integer beyond 32 bits is wrapped: %s', (text) =>
  expect(wrapIntegers({ root, definitions: {} }, { count: 4_294_967_297 }, text)).toEqual({
    count: 1,
  }),
);

it('digits in a string do not make a copy', () => {
  const value = { count: 1 };
  const text = '{"count":1,"uid":"6f1e9a2e-1e10-4294967297"}';
  expect(wrapIntegers({ root, definitions: {} }, value, text)).toBe(value);
});
