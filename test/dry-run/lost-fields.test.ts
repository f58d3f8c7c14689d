import { type TObject, type TProperties, Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { lossesBetween } from '../../infra/check/lost-fields.ts';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { kinds } from '../support/config.ts';

const definitionOf = (spec: TObject) =>
  customResourceDefinition(
    defineKind({
      group: 'example.com',
      version: 'v1',
      kind: 'Box',
      plural: 'boxes',
      spec,
      samples: [],
      owns: [],
      children: () => [],
    }),
  );

const of = (properties: TProperties): TObject => Type.Object(properties);
const optional = (type: Parameters<typeof Type.Optional>[0]): TObject =>
  of({ a: Type.Optional(type) });
const record = (of: Parameters<typeof Type.Record>[1]) => Type.Record(Type.String(), of);

/** `lost` and `kept` are values of spec. */
interface Case {
  readonly before: TObject;
  readonly after: TObject;
  readonly text: string;
  readonly lost: JsonObject;
  readonly kept?: JsonObject;
}

const narrower: Record<string, Case> = {
  'a field that is gone': {
    before: optional(Type.Integer()),
    after: of({}),
    text: 'spec.a is dropped',
    lost: { a: 0 },
    kept: {},
  },
  'a renamed field': {
    before: of({ replicas: Type.Integer({ default: 1 }) }),
    after: of({ servers: Type.Integer({ default: 1 }) }),
    text: 'spec.replicas is dropped',
    lost: { replicas: 3 },
    kept: { servers: 3 },
  },
  'a field of an object in a list': {
    before: optional(Type.Array(of({ b: Type.Optional(Type.String()), c: Type.String() }))),
    after: optional(Type.Array(of({ c: Type.String() }))),
    text: 'spec.a[].b is dropped',
    lost: { a: [{ c: '' }, { b: 'x', c: '' }] },
    kept: { a: [{ c: '' }] },
  },
  'a field of the values of a map': {
    before: optional(record(of({ b: Type.Optional(Type.String()) }))),
    after: optional(record(of({}))),
    text: 'spec.a.*.b is dropped',
    lost: { a: { x: {}, y: { b: '' } } },
    kept: { a: { x: {} } },
  },
  'a map that becomes an object': {
    before: optional(record(Type.String())),
    after: optional(of({ b: Type.Optional(Type.String()) })),
    text: 'spec.a.* is dropped',
    lost: { a: { c: 'x' } },
    kept: { a: { b: 'x' } },
  },
  'unknown fields that are no longer kept': {
    before: optional(Type.Object({}, { 'x-kubernetes-preserve-unknown-fields': true })),
    after: optional(of({})),
    text: 'spec.a.* is dropped',
    lost: { a: { b: 1 } },
    kept: { a: {} },
  },
  'another type': {
    before: optional(Type.String()),
    after: optional(Type.Integer()),
    text: 'spec.a: type string → integer',
    lost: { a: '1' },
    kept: { a: 1 },
  },
  'a number that becomes an integer': {
    before: optional(Type.Number()),
    after: optional(Type.Integer()),
    text: 'spec.a: type number → integer',
    lost: { a: 1.5 },
    kept: { a: 2 },
  },
  'anything that becomes an object': {
    before: optional(Type.Unknown()),
    after: optional(of({ b: Type.Optional(Type.String()) })),
    text: 'spec.a: type any → object',
    lost: { a: 'x' },
    kept: { a: { b: 'x' } },
  },
  'an enum without one of its values': {
    before: optional(Type.Union([Type.Literal('gold'), Type.Literal('tin')])),
    after: optional(Type.Union([Type.Literal('tin'), Type.Literal('zinc')])),
    text: 'spec.a: enum loses "gold"',
    lost: { a: 'gold' },
    kept: { a: 'tin' },
  },
  'an enum of any text': {
    before: optional(Type.String()),
    after: optional(Type.Union([Type.Literal('tin'), Type.Literal('zinc')])),
    text: 'spec.a: enum "tin", "zinc"',
    lost: { a: 'gold' },
    kept: { a: 'tin' },
  },
  'a lower maximum': {
    before: optional(Type.Integer({ maximum: 10 })),
    after: optional(Type.Integer({ maximum: 5 })),
    text: 'spec.a: maximum 10 → 5',
    lost: { a: 6 },
    kept: { a: 5 },
  },
  'an exclusive maximum': {
    before: optional(Type.Number({ maximum: 5 })),
    after: optional(Type.Number({ exclusiveMaximum: 5 })),
    text: 'spec.a: maximum 5 → 5 (exclusive)',
    lost: { a: 5 },
    kept: { a: 4.9 },
  },
  'a new minimum': {
    before: optional(Type.Integer()),
    after: optional(Type.Integer({ minimum: 1 })),
    text: 'spec.a: minimum 1',
    lost: { a: 0 },
    kept: { a: 1 },
  },
  'another multiple': {
    before: optional(Type.Integer({ multipleOf: 2 })),
    after: optional(Type.Integer({ multipleOf: 4 })),
    text: 'spec.a: multipleOf 2 → 4',
    lost: { a: 2 },
    kept: { a: 8 },
  },
  'a pattern': {
    before: optional(Type.String({ pattern: '^a' })),
    after: optional(Type.String({ pattern: '^ab' })),
    text: 'spec.a: pattern ^a → ^ab',
    lost: { a: 'ac' },
    kept: { a: 'ab' },
  },
  'a format': {
    before: optional(Type.String()),
    after: optional(Type.String({ format: 'ipv4' })),
    text: 'spec.a: format ipv4',
    lost: { a: 'x' },
    kept: {},
  },
  'a shorter text': {
    before: optional(Type.String({ maxLength: 9 })),
    after: optional(Type.String({ maxLength: 2 })),
    text: 'spec.a: maxLength 9 → 2',
    lost: { a: 'abc' },
    kept: { a: '😀😀' },
  },
  'a text that may not be empty': {
    before: optional(Type.String()),
    after: optional(Type.String({ minLength: 1 })),
    text: 'spec.a: minLength 1',
    lost: { a: '' },
    kept: { a: 'x' },
  },
  'a shorter list': {
    before: optional(Type.Array(Type.String())),
    after: optional(Type.Array(Type.String(), { maxItems: 1 })),
    text: 'spec.a: maxItems 1',
    lost: { a: ['x', 'y'] },
    kept: { a: ['x'] },
  },
  'a required field': {
    before: optional(Type.String()),
    after: of({ a: Type.String() }),
    text: 'spec.a is required, without a default',
    lost: {},
    kept: { a: '' },
  },
  'a new required field': {
    before: of({}),
    after: of({ a: Type.String() }),
    text: 'spec.a is required, without a default',
    lost: {},
    kept: { a: '' },
  },
};

describe('lostFields: a definition loses', () => {
  it.each(Object.entries(narrower))('%s', (_, { before, after, text, lost, kept }) => {
    const losses = lossesBetween(definitionOf(before), definitionOf(after));
    const found = losses.find((one) => one.text === text);
    expect(losses.map((one) => one.text)).toContain(text);
    expect(found?.concerns({ spec: lost })).toBe(true);
    if (kept !== undefined) expect(losses.some((one) => one.concerns({ spec: kept }))).toBe(false);
  });
});

const wider: Record<string, readonly [TObject, TObject]> = {
  'a new optional field': [of({}), optional(Type.String())],
  'a new field with a default': [of({}), of({ a: Type.String({ default: 'x' }) })],
  'a default': [of({ a: Type.String() }), of({ a: Type.String({ default: 'x' }) })],
  'an integer that becomes a number': [optional(Type.Integer()), optional(Type.Number())],
  'an integer that may be a text': [
    optional(Type.Integer()),
    optional(Type.Union([Type.Integer(), Type.String()])),
  ],
  'a type that becomes any': [optional(Type.String()), optional(Type.Unknown())],
  'an object that becomes a map': [
    optional(of({ b: Type.Optional(Type.String()) })),
    optional(record(Type.String())),
  ],
  'an object that keeps unknown fields': [
    optional(of({ b: Type.Optional(Type.String()) })),
    optional(Type.Object({}, { 'x-kubernetes-preserve-unknown-fields': true })),
  ],
  'no change of any value': [optional(Type.Unknown()), optional(Type.Unknown())],
  'no change of a map of any values': [
    optional(record(Type.Unknown())),
    optional(record(Type.Unknown())),
  ],
  'a field of an object that keeps unknown fields': [
    optional(Type.Object({}, { 'x-kubernetes-preserve-unknown-fields': true })),
    optional(
      Type.Object(
        { b: Type.Optional(Type.Unknown()) },
        { 'x-kubernetes-preserve-unknown-fields': true },
      ),
    ),
  ],
  'a longer text': [
    optional(Type.String({ minLength: 2, maxLength: 3 })),
    optional(Type.String({ minLength: 1, maxLength: 4 })),
  ],
  'wider bounds': [
    optional(Type.Integer({ minimum: 2, maximum: 3, multipleOf: 4 })),
    optional(Type.Integer({ minimum: 1, maximum: 4, multipleOf: 2 })),
  ],
  'the bounds of every integer': [
    optional(Type.Number()),
    optional(Type.Number({ minimum: -(2 ** 53 - 1), maximum: 2 ** 53 - 1 })),
  ],
  'a bound that is gone': [optional(Type.Integer({ minimum: 2 })), optional(Type.Integer())],
  'a pattern that is gone': [optional(Type.String({ pattern: 'x' })), optional(Type.String())],
  'a further value of an enum': [
    optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
    optional(Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Literal('c')])),
  ],
  'a required field that becomes optional': [of({ a: Type.String() }), optional(Type.String())],
};

describe('lostFields: a definition loses nothing by', () => {
  it.each(Object.entries(wider))('%s', (_, [before, after]) => {
    expect(lossesBetween(definitionOf(before), definitionOf(after)).map((one) => one.text)).toEqual(
      [],
    );
  });

  it.each(kinds.map((kind) => [kind.kind, kind] as const))('no change of %s', (_, kind) => {
    const definition = customResourceDefinition(kind);
    expect(lossesBetween(definition, definition)).toEqual([]);
  });

  it('an object that is no definition', () => {
    expect(lossesBetween({}, definitionOf(of({})))).toEqual([]);
    expect(
      lossesBetween({ spec: { versions: [{ storage: true }] } }, definitionOf(of({}))),
    ).toEqual([]);
  });
});
