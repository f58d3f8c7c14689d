import { describe, expect, it } from 'vitest';
import { checkStructural } from '../../api-server/kinds/definition/structural.ts';
import type { Schema } from '../../api-server/schema/schema.ts';

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer' };
const list = (items: Schema, rest: object = {}): Schema => ({ type: 'array', items, ...rest });
const keyed = (keys: string[]): object => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});
const named: Schema = { type: 'object', required: ['name'], properties: { name: text } };

/** Properties of a spec, and the real server's errors about them, with paths below the spec's schema. */
const cases: Record<string, { reason: string; given: object; want: string[] }> = {
  Fine: {
    reason: 'nothing to refuse',
    given: { a: text, l: list(named, keyed(['name'])) },
    want: [],
  },
  Untyped: {
    reason: 'every field has a type',
    given: { a: {}, l: { type: 'array' } },
    want: [
      '.properties[a].type: Required value: must not be empty for specified object fields',
      '.properties[l].items: Required value: must be specified',
    ],
  },
  UntypedItems: {
    reason: 'items too',
    given: { l: list({}) },
    want: [
      '.properties[l].items.type: Required value: must not be empty for specified array items',
    ],
  },
  UnknownType: {
    reason: 'there are six types',
    given: { a: { type: 'text' } },
    want: [
      '.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  },
  TypesInAlternatives: {
    reason: 'alternatives constrain and do not define',
    given: { a: { ...text, anyOf: [{ type: 'string', description: 'x' }] } },
    want: [
      '.properties[a].anyOf[0].description: Forbidden: must be empty to be structural',
      '.properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
  },
  MapAndStruct: {
    reason: 'an object is a map or a structure',
    given: { a: { type: 'object', properties: { x: text }, additionalProperties: text } },
    want: [
      '.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
  },
  KeysMissing: {
    reason: 'a list of type map has keys',
    given: { l: list(named, { 'x-kubernetes-list-type': 'map' }) },
    want: [
      '.properties[l].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
  },
  KeysOptional: {
    reason: 'keys are there or have a default',
    given: { l: list({ type: 'object', properties: { name: text } }, keyed(['name'])) },
    want: [
      '.properties[l].items.properties[name].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
  },
  KeysUnknown: {
    reason: 'keys are fields of the items',
    given: { l: list(named, keyed(['name', 'zz'])) },
    want: [
      '.properties[l].x-kubernetes-list-map-keys: Invalid value: ["name","zz"]: entries must all be names of item properties',
    ],
  },
  SetOfObjects: {
    reason: 'items of sets are atomic',
    given: { l: list(named, { 'x-kubernetes-list-type': 'set' }) },
    want: [
      '.properties[l].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  },
  Unique: {
    reason: 'unique items cost too much',
    given: { l: list(text, { uniqueItems: true }) },
    want: [
      '.properties[l].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
  },
  Defaults: {
    reason: 'defaults fit their schemas',
    given: {
      a: { ...text, default: 5 },
      b: { type: 'object', properties: { x: text }, default: { y: 1 } },
    },
    want: [
      '.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"',
      '.properties[b].default: Invalid value: {"y":1}: must not have unknown fields',
    ],
  },
  MissingFormat: {
    reason: 'a format this server cannot check is refused rather than ignored',
    given: { a: { ...text, format: 'isbn' } },
    want: ['.properties[a].format: Invalid value: "isbn": is not checked by the local cluster'],
  },
};

const path = 'spec.validation.openAPIV3Schema.properties[spec]';

function refusals(spec: object): string[] {
  const root = { type: 'object', properties: { spec: { type: 'object', ...spec } } };
  return checkStructural(root).map(
    ({ field, message }) => `${field.replace(path, '')}: ${message}`,
  );
}

describe.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
  it(reason, () => {
    expect(refusals({ properties: given })).toEqual(want);
  });
});

/** Expressions, and the real server's errors about them. */
const expressions: Record<string, string> = {
  'self.b == 1': "1:5: undefined field 'b'\n | self.b == 1\n | ....^",
  'has(self.b)': "1:4: undefined field 'b'\n | has(self.b)\n | ...^",
  'self.a == 1':
    "1:8: found no matching overload for '_==_' applied to '(string, int)'\n | self.a == 1\n | .......^",
  '"x" in self.a':
    "1:5: found no matching overload for '@in' applied to '(string, string)'\n | \"x\" in self.a\n | ....^",
  'foo(self.a)': "1:4: undeclared reference to 'foo' (in container '')\n | foo(self.a)\n | ...^",
  'self.a.foo()':
    "1:11: undeclared reference to 'foo' (in container '')\n | self.a.foo()\n | ..........^",
  'size(self.i)':
    "1:5: found no matching overload for 'size' applied to '(int)'\n | size(self.i)\n | ....^",
  'other == 1': "1:1: undeclared reference to 'other' (in container '')\n | other == 1\n | ^",
  "self.a.matches('(')":
    "1:16: invalid matches argument\n | self.a.matches('(')\n | ...............^",
  'self.l.all(x, x)':
    "1:15: expected type 'bool' but found 'string'\n | self.l.all(x, x)\n | ..............^",
};

describe.each(Object.entries(expressions))('the rule %s', (rule, want) => {
  it('is refused', () => {
    const properties = { a: text, i: count, l: list(text) };
    const [refusal] = refusals({ properties, 'x-kubernetes-validations': [{ rule }] });
    expect(refusal?.split('compilation failed: ERROR: <input>:')[1]).toBe(want);
  });
});

const rules: Record<string, { reason: string; given: object; want: string }> = {
  NotBoolean: {
    reason: 'a rule is true or false',
    given: { rule: 'self.a' },
    want: 'cel expression must evaluate to a bool',
  },
  MessageNotText: {
    reason: 'a message is text',
    given: { rule: 'true', messageExpression: '1' },
    want: 'messageExpression must evaluate to a string',
  },
  PathToNowhere: {
    reason: 'a field path leads to a field',
    given: { rule: 'true', fieldPath: '.zz' },
    want: '[0].fieldPath: Invalid value: ".zz": must be a valid path',
  },
  OptionalWithoutOldSelf: {
    reason: 'oldSelf is optional only where it is used',
    given: { rule: 'true', optionalOldSelf: true },
    want: '[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
  },
};

describe.each(Object.entries(rules))('a rule refused: %s', (_, { reason, given, want }) => {
  it(reason, () => {
    const refused = refusals({ properties: { a: text }, 'x-kubernetes-validations': [given] });
    expect(refused).toEqual([expect.stringContaining(want)]);
  });
});

describe('oldSelf', () => {
  it('is refused inside lists whose items have no old value', () => {
    const v = { ...count, 'x-kubernetes-validations': [{ rule: 'self > oldSelf' }] };
    const items: Schema = { type: 'object', properties: { v } };
    expect(refusals({ properties: { l: list(items) } })).toEqual([
      `.properties[l].items.properties[v].x-kubernetes-validations[0].rule: Invalid value: "self > oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${path}.properties[l]`,
    ]);
  });
});

describe('a function that this server does not have', () => {
  it.each([
    ['isCIDR(self.a)', 'the CEL function isCIDR()'],
    [
      '!format.dns1123Label().validate(self.a).hasValue()',
      'the CEL function format.dns1123Label()',
    ],
    ['[1].all(i, v, i >= 0)', 'the two-variable form of all()'],
    ['[1].existsOne( i, v, i == v)', 'the two-variable form of existsOne()'],
  ])('is refused, never ignored: %s', (rule, missing) => {
    const given = { properties: { a: text }, 'x-kubernetes-validations': [{ rule }] };
    expect(refusals(given)).toEqual([
      expect.stringContaining(`${missing} is not implemented by the local cluster`),
    ]);
  });
});

const tooMuch =
  ' (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
const positive = { 'x-kubernetes-validations': [{ rule: 'self.all(x, x > 0)' }] };

const costs: Record<string, { reason: string; given: object; want: string[] }> = {
  Affordable: {
    reason: 'one pass through a list is cheap, however long it may be',
    given: { a: list(count, positive) },
    want: [],
  },
  Nested: {
    reason: 'a pass for each item is not',
    given: {
      a: list(text, { 'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x == y))' }] }),
    },
    want: [
      `.properties[a].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x${tooMuch}`,
      '.properties[a].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      `spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x${tooMuch}`,
    ],
  },
  Bounded: {
    reason: 'unless lists and texts have bounds',
    given: {
      a: list(
        { ...text, maxLength: 10 },
        {
          maxItems: 20,
          'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x == y))' }],
        },
      ),
    },
    want: [],
  },
  Together: {
    reason: 'many cheap rules are dear together',
    given: Object.fromEntries([...'abcdefghijklm'].map((name) => [name, list(count, positive)])),
    want: [
      ...['a', 'b', 'c', 'd'].map(
        (name) =>
          `.properties[${name}].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      ),
      `spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.022361x${tooMuch}`,
    ],
  },
};

describe.each(Object.entries(costs))('the cost of rules: %s', (_, { reason, given, want }) => {
  it(reason, () => {
    expect(refusals({ properties: given })).toEqual(want);
  });
});

it('an accepted schema is judged anew once it says something else, and a refused one each time', () => {
  const field = { ...text, pattern: '^a$' };
  expect([1, 2].map(() => refusals({ properties: { field } }))).toEqual([[], []]);
  field.pattern = '(';
  const why = expect.stringContaining('.properties[field].pattern: Invalid value');
  expect([1, 2].map(() => refusals({ properties: { field } }))).toEqual([[why], [why]]);
});
