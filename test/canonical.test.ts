import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isSameJson, isZero, withoutUndefined } from '../shared/canonical.ts';
import type { Json } from '../shared/kubernetes.ts';
import { casesOf } from './support/cases.ts';

const cases: Record<string, { reason: string; given: Json | undefined; want: string }> = {
  Absent: { reason: 'undefined is not a value', given: undefined, want: '' },
  Null: { reason: 'null is a value', given: null, want: 'null' },
  Text: { reason: 'text is quoted as in JSON', given: 'a"b', want: '"a\\"b"' },
  Order: {
    reason: 'fields are sorted at every level',
    given: { b: 1, a: { d: 2, c: 3 } },
    want: '{"a":{"c":3,"d":2},"b":1}',
  },
  AbsentField: {
    reason: 'an undefined field is omitted',
    given: { a: undefined, b: 1 },
    want: '{"b":1}',
  },
  List: {
    reason: 'the order of a list is kept',
    given: [2, 1, [{ b: 1, a: 2 }]],
    want: '[2,1,[{"a":2,"b":1}]]',
  },
  Empty: { reason: 'an empty map is not absent', given: { a: {}, b: [] }, want: '{"a":{},"b":[]}' },
};

describe('canonicalJson', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(canonicalJson(given)).toBe(want);
  });

  it('parses to the same value, and does not depend on the order of fields', () => {
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

const pairs: Record<string, { reason: string; one: unknown; other: unknown }> = {
  AbsentField: { reason: 'an undefined field is omitted', one: { a: undefined }, other: {} },
  AbsentValue: { reason: 'undefined is not null', one: undefined, other: null },
  AddedField: { reason: 'a field only in the second', one: {}, other: { a: 1 } },
  Order: { reason: 'the order of a list counts', one: [1, 2], other: [2, 1] },
  ListForMap: { reason: 'a list is no map', one: [], other: {} },
  Inherited: { reason: 'no field is inherited', one: { ['__proto__']: {} }, other: {} },
};

describe('isSameJson', () => {
  it.each(casesOf(pairs))('%s', (_, { one, other }) => {
    const isSame = canonicalJson(one) === canonicalJson(other);
    expect([isSameJson(one, other), isSameJson(other, one)]).toEqual([isSame, isSame]);
  });

  it('compares like canonicalJson', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, 0, 1, '', 'a', false),
        fc.array(tie('any'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 2 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(isSameJson(one, other)).toBe(canonicalJson(one) === canonicalJson(other));
      }),
    );
  });
});

const zeros: Record<string, { reason: string; given: unknown; want: boolean }> = {
  Absent: { reason: 'an absent value is zero', given: undefined, want: true },
  Null: { reason: 'null is zero', given: null, want: true },
  False: { reason: 'the zero value of a boolean', given: false, want: true },
  Zero: { reason: 'the zero value of a number', given: 0, want: true },
  Text: { reason: 'the zero value of a string', given: '', want: true },
  Map: { reason: 'an empty map is zero', given: {}, want: true },
  List: { reason: 'an empty list is zero', given: [], want: true },
  True: { reason: 'true is not zero', given: true, want: false },
  ZeroInText: { reason: 'a string that is not empty', given: '0', want: false },
  ListOfZero: { reason: 'a list that is not empty', given: [0], want: false },
};

describe('isZero', () => {
  it.each(casesOf(zeros))('%s', (_, { given, want }) => {
    expect(isZero(given)).toBe(want);
  });
});

describe('withoutUndefined', () => {
  it('returns what JSON would keep of the value', () => {
    const value = { a: { b: undefined }, c: [{ d: undefined, e: 0 }, null], f: undefined };
    expect(withoutUndefined(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
  });

  it('copies nothing if nothing is undefined', () => {
    const value = { a: { b: [1, null, ''] } };
    expect(withoutUndefined(value)).toBe(value);
  });
});
