import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isZero, withoutUndefined } from '../shared/canonical.ts';
import type { Json } from '../shared/kubernetes.ts';

const cases: Record<string, { reason: string; given: Json | undefined; want: string }> = {
  Absent: { reason: 'absent is no value', given: undefined, want: '' },
  Null: { reason: 'null is one', given: null, want: 'null' },
  Text: { reason: 'as JSON writes it', given: 'a"b', want: '"a\\"b"' },
  Order: {
    reason: 'fields in order',
    given: { b: 1, a: { d: 2, c: 3 } },
    want: '{"a":{"c":3,"d":2},"b":1}',
  },
  AbsentField: { reason: 'as if not there', given: { a: undefined, b: 1 }, want: '{"b":1}' },
  List: {
    reason: 'the order of a list counts',
    given: [2, 1, [{ b: 1, a: 2 }]],
    want: '[2,1,[{"a":2,"b":1}]]',
  },
  Empty: { reason: 'an empty map is not absent', given: { a: {}, b: [] }, want: '{"a":{},"b":[]}' },
};

describe('canonicalJson', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(canonicalJson(given), reason).toBe(want);
  });

  it('is JSON of the same value, whatever the order of its fields', () => {
    const reversed = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(reversed);
      if (value === null || typeof value !== 'object') return value;
      const fields = Object.entries(value).map(([name, field]) => [name, reversed(field as Json)]);
      return Object.fromEntries(fields.reverse());
    };
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        const value = JSON.parse(JSON.stringify(any)) as Json;
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });
});

const zeros: Record<string, { reason: string; given: unknown; want: boolean }> = {
  Absent: { reason: 'nothing', given: undefined, want: true },
  Null: { reason: 'nothing', given: null, want: true },
  False: { reason: 'zero of a boolean', given: false, want: true },
  Zero: { reason: 'zero of a number', given: 0, want: true },
  Text: { reason: 'zero of a text', given: '', want: true },
  Map: { reason: 'an empty map', given: {}, want: true },
  List: { reason: 'an empty list', given: [], want: true },
  True: { reason: 'something', given: true, want: false },
  ZeroInText: { reason: 'a text with something in it', given: '0', want: false },
  ListOfZero: { reason: 'a list with something in it', given: [0], want: false },
};

describe('isZero', () => {
  it.each(Object.entries(zeros))('%s', (_, { reason, given, want }) => {
    expect(isZero(given), reason).toBe(want);
  });
});

describe('withoutUndefined', () => {
  it('is what JSON has of the value', () => {
    const value = { a: { b: undefined }, c: [{ d: undefined, e: 0 }, null], f: undefined };
    expect(withoutUndefined(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
  });

  it('copies nothing if nothing is undefined', () => {
    const value = { a: { b: [1, null, ''] } };
    expect(withoutUndefined(value)).toBe(value);
  });
});
