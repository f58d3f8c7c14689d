import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import { Check } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { quickCheckOf } from '../../shared/kinds/quick-check.ts';
import { effort } from '../properties/runs.ts';

interface Case {
  readonly reason: string;
  readonly schema: TSchema;
  readonly accepted: readonly unknown[];
  /** Left to the whole check, which may accept it. */
  readonly left: readonly unknown[];
}

const port = Type.Integer({ minimum: 1, maximum: 9 });
const cases: Record<string, Case> = {
  Integer: {
    reason: 'bounds count',
    schema: port,
    accepted: [1, 9],
    left: [0, 10, 1.5, '1', null],
  },
  Number: {
    reason: 'JSON has no others',
    schema: Type.Number(),
    accepted: [1.5],
    left: [NaN, '1'],
  },
  Boolean: { reason: 'no text', schema: Type.Boolean(), accepted: [true], left: ['true', 0] },
  Pattern: {
    reason: 'by characters, not by code units',
    schema: Type.String({ pattern: '^.$' }),
    accepted: ['a', '😀'],
    left: ['', 'ab'],
  },
  Length: {
    reason: 'a character may have two code units',
    schema: Type.String({ maxLength: 1 }),
    accepted: ['', 'a'],
    left: ['😀', 'ab'],
  },
  List: {
    reason: 'each item and their number',
    schema: Type.Array(port, { minItems: 1, maxItems: 2 }),
    accepted: [[1], [1, 2]],
    left: [[], [1, 2, 3], [0], {}],
  },
  Map: {
    reason: 'required fields, and those that are there',
    schema: Type.Object({ port, name: Type.Optional(Type.String({ default: 'a' })) }),
    accepted: [{ port: 1 }, { port: 1, name: 'a', other: [] }],
    left: [{}, { port: 0 }, { port: 1, name: 1 }, [], null],
  },
  Refined: {
    reason: 'TypeBox keeps the function in a field that is not enumerable',
    schema: Type.Object({ name: Type.Refine(Type.String(), (name) => name !== 'b') }),
    accepted: [],
    left: [{ name: 'a' }, { name: 'b' }],
  },
  Unknown: {
    reason: 'a keyword that is not known may refuse anything',
    schema: Type.Object({ even: Type.Integer({ multipleOf: 2 }) }),
    accepted: [],
    left: [{ even: 2 }, { even: 1 }],
  },
};

describe('quickCheckOf', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, schema, accepted, left }) => {
    const accept = quickCheckOf(schema);
    expect(
      accepted.filter((value) => !accept(value)),
      reason,
    ).toEqual([]);
    expect(left.filter(accept), reason).toEqual([]);
  });

  it('C-9 accepts nothing that TypeBox refuses', () => {
    let accepted = 0;
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        if (!quickCheckOf(schema)(value)) return;
        accepted += 1;
        expect(Check(schema, value)).toBe(true);
      }),
      effort(20_000),
    );
    expect(accepted).toBeGreaterThan(0);
  });
});

const few = fc.integer({ min: 0, max: 3 });

const schemaOf = (type: string, keywords: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record(keywords, { requiredKeys: [] })
    .map((chosen): TSchema => ({ type, ...chosen, title: 'a value' }));

const { schemas } = fc.letrec<{ schemas: TSchema }>((tie) => ({
  schemas: fc.oneof(
    { maxDepth: 3 },
    schemaOf('integer', { minimum: few, maximum: few }),
    schemaOf('number', { minimum: few, exclusiveMaximum: few }),
    schemaOf('string', { minLength: few, maxLength: few, pattern: fc.constant('^[a😀]*$') }),
    schemaOf('boolean', { enum: fc.constant([true]) }),
    schemaOf('array', { items: tie('schemas'), minItems: few, maxItems: few }),
    schemaOf('object', {
      properties: fc.record({ a: tie('schemas'), b: tie('schemas') }, { requiredKeys: [] }),
      required: fc.subarray(['a', 'b']),
      maxProperties: few,
    }),
  ),
}));

const { values } = fc.letrec((tie) => ({
  values: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(few, fc.double(), fc.boolean(), fc.constant(null)),
    fc.string({ unit: fc.constantFrom('a', 'b', '😀', 'e\u0301'), maxLength: 4 }),
    fc.array(tie('values'), { maxLength: 4 }),
    fc.record({ a: tie('values'), b: tie('values'), c: tie('values') }, { requiredKeys: [] }),
  ),
}));
