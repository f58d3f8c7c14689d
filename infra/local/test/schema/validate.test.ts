import { describe, expect, it } from 'vitest';
import type { Schema } from '../../api-server/schema/schema.ts';
import { validate } from '../../api-server/validation/validate.ts';

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer' };
const pair: Schema = { type: 'object', properties: { x: count, y: count } };

const properties: Record<string, Schema> = {
  image: { type: 'string', minLength: 1, maxLength: 5, pattern: '^[a-z]+$' },
  replicas: { type: 'integer', minimum: 0, maximum: 10, format: 'int32' },
  kind: { type: 'string', enum: ['a', 'b'] },
  port: { 'x-kubernetes-int-or-string': true },
  ratio: { type: 'number', exclusiveMinimum: true, minimum: 0.5, maximum: 2.5 },
  maybe: { type: 'string', nullable: true },
  tags: { type: 'array', maxItems: 3, minItems: 1, 'x-kubernetes-list-type': 'set', items: text },
  items: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', required: ['name'], properties: { name: text } },
  },
  counts: {
    type: 'object',
    maxProperties: 2,
    additionalProperties: { type: 'integer', minimum: 1 },
  },
  when: { type: 'string', format: 'date-time' },
  odd: { type: 'string', format: 'made-up' },
  embedded: {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  },
  one: { ...pair, oneOf: [{ required: ['x'] }, { required: ['y'] }] },
  any: {
    ...pair,
    anyOf: [{ required: ['x'], properties: { x: { minimum: 5 } } }, { required: ['y'] }],
  },
  all: { type: 'integer', allOf: [{ minimum: 3 }, { maximum: 5 }] },
  not: { type: 'string', not: { enum: ['bad'] } },
};
const spec: Schema = { type: 'object', required: ['image'], properties };
const source = { root: { type: 'object', properties: { spec } }, definitions: {} };
const object = (given: unknown): object => ({
  apiVersion: 'a/v1',
  kind: 'A',
  metadata: { name: 'n' },
  spec: given,
});

/** Errors as `field: message`, from the real server for the same objects. */
const cases: Record<string, { reason: string; given: object; want: string[] }> = {
  Valid: {
    reason: 'nothing to report',
    given: { replicas: 1, port: '80%', maybe: null },
    want: [],
  },
  TooShort: {
    reason: 'the shortest text',
    given: { image: '' },
    want: ['spec.image: Invalid value: "": spec.image in body should be at least 1 chars long'],
  },
  TooLong: {
    reason: 'the longest text',
    given: { image: 'abcdef' },
    want: ['spec.image: Too long: may not be more than 5 bytes'],
  },
  Pattern: {
    reason: 'a pattern',
    given: { image: 'A' },
    want: [`spec.image: Invalid value: "A": spec.image in body should match '^[a-z]+$'`],
  },
  Types: {
    reason: 'types, null among them',
    given: { image: 5, replicas: 'x', port: true, kind: null },
    want: [
      'spec.image: Invalid value: "integer": spec.image in body must be of type string: "integer"',
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      'spec.kind: Invalid value: "null": spec.kind in body must be of type string: "null"',
      'spec.kind: Unsupported value: null: supported values: "a", "b"',
      'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ],
  },
  Bounds: {
    reason: 'numbers',
    given: { replicas: 11, ratio: 0.5 },
    want: [
      'spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10',
      'spec.ratio: Invalid value: 0.5: spec.ratio in body should be greater than 0.5',
    ],
  },
  Range: {
    reason: 'a number beyond its format',
    given: { replicas: 3000000000 },
    want: [
      '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.replicas',
      'spec.replicas: Invalid value: 3000000000: spec.replicas in body should be less than or equal to 10',
    ],
  },
  Enum: {
    reason: 'listed values',
    given: { kind: 'z' },
    want: ['spec.kind: Unsupported value: "z": supported values: "a", "b"'],
  },
  Lists: {
    reason: 'lengths and duplicates of lists',
    given: { tags: ['a', 'a', 'a', 'b'], items: [{ name: 'x' }, { name: 'x' }] },
    want: [
      'spec.tags: Too many: 4: must have at most 3 items',
      'spec.tags[1]: Duplicate value: "a"',
      'spec.items[1]: Duplicate value: {"name":"x"}',
    ],
  },
  Maps: {
    reason: 'sizes and values of maps',
    given: { counts: { a: 0, b: 1, c: 2 } },
    want: [
      'spec.counts: Too many: 3: must have at most 2 items',
      'spec.counts.a: Invalid value: 0: spec.counts.a in body should be greater than or equal to 1',
    ],
  },
  Formats: {
    reason: 'known formats are checked, others not',
    given: { when: 'y', odd: 'y' },
    want: ['spec.when: Invalid value: "y": spec.when in body must be of type date-time: "y"'],
  },
  Embedded: {
    reason: 'an embedded resource has a type',
    given: { embedded: { kind: '' } },
    want: [
      'spec.embedded.apiVersion: Required value',
      'spec.embedded.kind: Invalid value: "": must not be empty',
    ],
  },
  OneOf: {
    reason: 'one alternative exactly',
    given: { one: { x: 1, y: 2 } },
    want: [
      '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
  },
  AnyOf: {
    reason: 'at least one alternative; the one that got furthest is reported',
    given: { any: { x: 1 } },
    want: [
      '<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)',
      'spec.any.x: Invalid value: 1: spec.any.x in body should be greater than or equal to 5',
    ],
  },
  AllOf: {
    reason: 'all of them',
    given: { all: 6 },
    want: [
      'spec.all: Invalid value: 6: spec.all in body should be less than or equal to 5',
      '<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf)',
    ],
  },
  Not: {
    reason: 'none of it',
    given: { not: 'bad' },
    want: ['<nil>: Invalid value: "": "spec.not" must not validate the schema (not)'],
  },
};

describe.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
  it(reason, () => {
    const errors = validate(source, object({ image: 'abc', ...given }));
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(want);
  });
});

describe('a date', () => {
  const errorsOf = (day: string) =>
    validate(source, object({ image: 'abc', when: `${day}T23:59:59Z` })).map(({ field }) => field);

  it.each(['2023-01-31', '2023-02-28', '2024-02-29', '2000-02-29', '0000-02-29', '2023-12-31'])(
    '%s exists',
    (day) => expect(errorsOf(day)).toEqual([]),
  );

  it.each(['2023-02-29', '1900-02-29', '2023-04-31', '2023-00-10', '2023-13-10', '2023-01-00'])(
    '%s does not exist',
    (day) => expect(errorsOf(day)).toEqual(['spec.when']),
  );
});

describe('an update', () => {
  it('is not held to what it leaves unchanged', () => {
    const old = object({ image: 'TOOLONG', kind: 'z', replicas: 1 });
    const updated = object({ image: 'TOOLONG', kind: 'y', replicas: 2 });
    expect(validate(source, updated, { old }).map(({ field }) => field)).toEqual(['spec.kind']);
  });

  it('may keep duplicates that were there', () => {
    const old = object({ image: 'abc', tags: ['a', 'a'] });
    expect(validate(source, object({ image: 'abc', tags: ['a', 'a', 'b'] }), { old })).toEqual([]);
  });
});

describe('a missing field', () => {
  it('is required', () => {
    expect(validate(source, object({}))).toEqual([
      { reason: 'FieldValueRequired', field: 'spec.image', message: 'Required value' },
    ]);
  });
});
