import { describe, expect, it } from 'vitest';
import type { Schema, ValidationRule } from '../../api-server/schema/schema.ts';
import { validate } from '../../api-server/validation/validate.ts';

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer' };

const properties: Record<string, Schema> = {
  a: text,
  n: count,
  r: { type: 'number' },
  list: { type: 'array', items: count },
  names: { type: 'array', items: text },
  items: {
    type: 'array',
    items: {
      type: 'object',
      properties: { path: { type: 'object', properties: { value: text } } },
    },
  },
  port: { 'x-kubernetes-int-or-string': true },
  time: { type: 'string', format: 'date-time' },
  wait: { type: 'string', format: 'duration' },
  map: { type: 'object', additionalProperties: text },
  odd: { type: 'object', properties: { 'a-b': text, namespace: text, 'x.y/z': count } },
};

function sourceOf(rules: readonly ValidationRule[], more: Record<string, Schema> = {}) {
  const spec: Schema = {
    type: 'object',
    properties: { ...properties, ...more },
    'x-kubernetes-validations': rules,
  };
  return { root: { type: 'object', properties: { spec } }, definitions: {} };
}

const object = (spec: object): object => ({
  apiVersion: 'a/v1',
  kind: 'A',
  metadata: { name: 'n' },
  spec,
});

function messages(rule: ValidationRule, spec: object): string[] {
  return validate(sourceOf([rule]), object(spec)).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

/** Rules, each with an object that keeps it and one that breaks it. */
const rules: Record<string, { rule: string; keeps: object; breaks: object }> = {
  Comparison: { rule: 'self.n <= 5', keeps: { n: 5 }, breaks: { n: 6 } },
  Absence: { rule: '!has(self.a) || self.a.size() > 1', keeps: {}, breaks: { a: 'x' } },
  AbsenceInAnItem: {
    rule: '!has((self.items)[0].path) || has(self.items.filter(i, has(self.items[0].path))[0].path.value)',
    keeps: { items: [{ path: { value: 'x' } }] },
    breaks: { items: [{ path: {} }] },
  },
  IntAndDouble: { rule: 'self.r > 1 && self.r < 2.5', keeps: { r: 2 }, breaks: { r: 1 } },
  Strings: {
    rule: "self.a.trim().lowerAscii().replace('x', 'y').split('-').join('') == 'yz'",
    keeps: { a: ' X-z ' },
    breaks: { a: 'zz' },
  },
  Characters: {
    rule: "self.a.charAt(1) == 'b' && self.a.substring(2) == 'c' && self.a.indexOf('c') == 2",
    keeps: { a: 'abc' },
    breaks: { a: 'acc' },
  },
  Pattern: { rule: "self.a.matches('^[a-z]+$')", keeps: { a: 'x' }, breaks: { a: 'X' } },
  Find: {
    rule: "self.a.find('[0-9]+') == '12' && self.a.findAll('[0-9]+').size() == 2",
    keeps: { a: 'a12b3' },
    breaks: { a: 'a12' },
  },
  Lists: {
    rule: 'self.list.isSorted() && self.list.sum() < 10 && self.list.min() > 0 && self.list.max() < 5 && self.list.indexOf(3) == 1',
    keeps: { list: [2, 3, 4] },
    breaks: { list: [3, 2, 4] },
  },
  Macros: {
    rule: "self.names.all(x, x != '') && self.names.exists_one(x, x == 'main') && self.names.filter(x, x != 'main').map(x, size(x)).sum() < 5",
    keeps: { names: ['main', 'ab'] },
    breaks: { names: ['main', 'abcdef'] },
  },
  Sets: {
    rule: "sets.contains(['a', 'b'], self.names)",
    keeps: { names: ['b'] },
    breaks: { names: ['c'] },
  },
  In: {
    rule: "self.a in ['x', 'y'] && 'k' in self.map",
    keeps: { a: 'x', map: { k: '1' } },
    breaks: { a: 'x', map: {} },
  },
  IntOrString: {
    rule: "type(self.port) == int ? self.port < 100 : self.port.endsWith('%')",
    keeps: { port: '5%' },
    breaks: { port: 500 },
  },
  Quantities: {
    rule: "quantity(self.a).isLessThan(quantity('1Gi'))",
    keeps: { a: '1023Mi' },
    breaks: { a: '1024Mi' },
  },
  Times: {
    rule: "self.time > timestamp('2020-01-01T00:00:00Z')",
    keeps: { time: '2021-01-01T00:00:00Z' },
    breaks: { time: '2019-01-01T00:00:00Z' },
  },
  Durations: { rule: "self.wait < duration('1h')", keeps: { wait: '30m' }, breaks: { wait: '2h' } },
  EscapedNames: {
    rule: "self.odd.a__dash__b == 'x' && self.odd.__namespace__ == 'y' && self.odd.x__dot__y__slash__z == 1",
    keeps: { odd: { 'a-b': 'x', namespace: 'y', 'x.y/z': 1 } },
    breaks: { odd: { 'a-b': 'x', namespace: 'z', 'x.y/z': 1 } },
  },
  Optional: { rule: 'self.?n.orValue(3) == 3', keeps: {}, breaks: { n: 4 } },
};

describe.each(Object.entries(rules))('%s', (_, { rule, keeps, breaks }) => {
  it(rule, () => {
    expect(messages({ rule }, keeps)).toEqual([]);
    expect(messages({ rule }, breaks)).toEqual([`spec: Invalid value: failed rule: ${rule}`]);
  });
});

/** In the words of the real server. */
const reports: Record<
  string,
  { reason: string; rule: ValidationRule; given: object; want: string[] }
> = {
  Message: {
    reason: 'a rule has a message of its own',
    rule: { rule: 'self.n < 5', message: ' too much ' },
    given: { n: 9 },
    want: ['spec: Invalid value: too much'],
  },
  Expression: {
    reason: 'or one that is computed',
    rule: { rule: 'self.n < 5', messageExpression: "'%d is over %s'.format([self.n, self.a])" },
    given: { n: 9, a: 'x' },
    want: ['spec: Invalid value: 9 is over x'],
  },
  BrokenExpression: {
    reason: 'which gives way if it fails',
    rule: { rule: 'self.n < 5', messageExpression: 'self.a', message: 'fixed' },
    given: { n: 9 },
    want: ['spec: Invalid value: fixed'],
  },
  PathAndReason: {
    reason: 'an error can stand at a field below, for another reason',
    rule: { rule: 'self.n < 5', message: 'no', fieldPath: '.n', reason: 'FieldValueForbidden' },
    given: { n: 9 },
    want: ['spec.n: Forbidden: no'],
  },
  NoSuchKey: {
    reason: 'a rule that fails is no pass',
    rule: { rule: 'self.list[0] > 1' },
    given: {},
    want: ['spec: Invalid value: "object": no such key: list evaluating rule: self.list[0] > 1'],
  },
  OutOfBounds: {
    reason: 'nor is one that reaches too far',
    rule: { rule: 'self.list[3] > 1', message: 'far' },
    given: { list: [1] },
    want: ['spec: Invalid value: "object": index out of bounds: 3 evaluating rule: far'],
  },
  Division: {
    reason: 'or divides by zero',
    rule: { rule: '10 / self.n > 0' },
    given: { n: 0 },
    want: ['spec: Invalid value: "object": division by zero evaluating rule: 10 / self.n > 0'],
  },
  Shapeless: {
    reason: 'no rule runs on an object of the wrong shape',
    rule: { rule: 'self.n < 5' },
    given: { n: 'x' },
    want: [
      'spec.n: Invalid value: "string": spec.n in body must be of type integer: "string"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ],
  },
};

describe.each(Object.entries(reports))('the report: %s', (_, { reason, rule, given, want }) => {
  it(reason, () => {
    expect(messages(rule, given)).toEqual(want);
  });
});

describe('transition rules', () => {
  const immutable = { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
  const growing = { ...count, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] };
  const fresh = {
    ...text,
    'x-kubernetes-validations': [
      { rule: "oldSelf.hasValue() || self == 'new'", optionalOldSelf: true },
    ],
  };
  const keyed: Schema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', properties: { k: text, v: growing } },
  };
  const source = sourceOf([], { immutable, fresh, keyed });
  const fields = (spec: object, old?: object): string[] =>
    validate(source, object(spec), old ? { old: object(old) } : {}).map(({ field }) => field);

  it('run only where there was a value', () => {
    expect(fields({ immutable: 'b' })).toEqual([]);
    expect(fields({ immutable: 'b' }, {})).toEqual([]);
    expect(fields({ immutable: 'b' }, { immutable: 'a' })).toEqual(['spec.immutable']);
  });

  it('run everywhere if the old value is optional', () => {
    expect(fields({ fresh: 'x' })).toEqual(['spec.fresh']);
    expect(fields({ fresh: 'x' }, { fresh: 'new' })).toEqual([]);
  });

  it('find the old item by its keys', () => {
    const old = {
      keyed: [
        { k: 'a', v: 5 },
        { k: 'b', v: 1 },
      ],
    };
    expect(
      fields(
        {
          keyed: [
            { k: 'b', v: 2 },
            { k: 'a', v: 4 },
            { k: 'c', v: 0 },
          ],
        },
        old,
      ),
    ).toEqual(['spec.keyed[1].v']);
  });
});

describe('a rule that is not about transitions', () => {
  it('is not held against what an update leaves unchanged', () => {
    const n = { ...count, 'x-kubernetes-validations': [{ rule: 'self < 5' }] };
    const source = sourceOf([], { n });
    const old = object({ n: 9 });
    expect(validate(source, object({ n: 9, a: 'x' }), { old })).toEqual([]);
    expect(validate(source, object({ n: 8, a: 'x' }), { old })).toHaveLength(1);
  });
});
