import fc from 'fast-check';
import { type TSchema, Type } from 'typebox';
import { afterAll, expect, it } from 'vitest';
import { structuralSchema } from '../../shared/kinds/schema/structural-schema.ts';
import { placesIn, unknownField } from '../../shared/kinds/schema/walk.ts';
import { effort, testTimeoutMs } from '../properties/runs.ts';
import { createSchemaJudge } from '../support/schema-verdicts.ts';

/** A schema, and values around its limits, some of them invalid. */
interface Case {
  readonly schema: TSchema;
  readonly values: fc.Arbitrary<unknown>;
}

const anything: fc.Arbitrary<unknown> = fc.constantFrom<unknown[]>(
  null,
  true,
  0,
  -1,
  2,
  1.5,
  '',
  'a',
  'ab',
  '🦀',
  [],
  ['a'],
  {},
  { a: 1 },
);

const some = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary: values }, { weight: 1, arbitrary: anything });

/** Generates any subset of the options. */
const options = (values: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record(values, { requiredKeys: [] });

const count = fc.nat({ max: 3 });
const bound = fc.constantFrom(-2, -1, -0.5, 0, 0.5, 1, 1.5, 2);
const bounds = {
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: fc.constantFrom(1, 2, 3),
};
const numbers = some(fc.constantFrom(-3, -2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6));
const patterns = fc.constantFrom('^a', '^[^a]*$', 'b$', '^(a|ab)+$', '[\\]-]|\\d', '^\\w{0,2}$');
const lengths = { minLength: count, maxLength: count };
const strings = some(
  fc.constantFrom('', 'a', 'b', 'ab', 'aba', 'abab', '🦀', 'e\u0301', '-', ']1', '2026-02-30'),
);
const literals = fc.uniqueArray(fc.constantFrom('', 'a', 'ab'), { minLength: 1 });

const scalars: readonly fc.Arbitrary<Case>[] = [
  options({ ...lengths, pattern: patterns }).map((given) => ({
    schema: Type.String(given),
    values: strings,
  })),
  // The API server takes a list for a string with a format.
  fc.constant({
    schema: Type.String({ format: 'date' }),
    values: fc.constantFrom<unknown[]>('', 'a', '2026-02-28', '2026-02-30', 1, null, {}),
  }),
  options(bounds).map((given) => ({ schema: Type.Integer(given), values: numbers })),
  options(bounds).map((given) => ({ schema: Type.Number(given), values: numbers })),
  fc.constant({ schema: Type.Boolean(), values: some(fc.boolean()) }),
  literals.map((values) => ({ schema: Type.Enum(values), values: strings })),
  literals.map((values) => ({
    schema: Type.Union(values.map((value) => Type.Literal(value))),
    values: strings,
  })),
  fc.constantFrom(0, 1.5, 2).map((value) => ({ schema: Type.Literal(value), values: numbers })),
  fc
    .tuple(options(bounds), options({ ...lengths, pattern: patterns }))
    .map(([ofNumber, ofText]) => ({
      schema: Type.Union([Type.String(ofText), Type.Integer(ofNumber)]),
      values: fc.oneof(strings, numbers),
    })),
  fc.constant({ schema: Type.Unknown(), values: anything }),
  fc.constant({ schema: Type.Integer({ default: 2 }), values: some(fc.integer()) }),
];

/** Copies the schema, including the kind, which TypeBox keeps in a property that is not enumerable. */
const defaultingTo = (value: unknown, schema: TSchema): TSchema =>
  Object.defineProperty(
    Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)),
    'default',
    { value, enumerable: true },
  );

/** Adds a default in some cases, which may be invalid. */
const withDefault = (one: Case): fc.Arbitrary<TSchema> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(one.schema) },
    {
      weight: 1,
      arbitrary: one.values.map((value) => defaultingTo(value, one.schema)),
    },
  );

function objectOf(fields: Readonly<Record<string, Case>>): fc.Arbitrary<Case> {
  const names = Object.keys(fields);
  const properties = names.map((name) =>
    fc
      .tuple(withDefault(fields[name] as Case), fc.boolean())
      .map(([schema, isOptional]) => [name, isOptional ? Type.Optional(schema) : schema] as const),
  );
  const values = fc.record(
    Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.values])),
    { requiredKeys: [] },
  );
  return fc
    .tuple(
      fc.tuple(...properties),
      options({
        minProperties: count,
        maxProperties: fc.nat({ max: 5 }),
        additionalProperties: fc.boolean(),
      }),
    )
    .map(([entries, given]) => ({
      schema: Type.Object(
        { ...Object.fromEntries(entries), preset: Type.Optional(Type.String({ default: 'a' })) },
        given,
      ),
      values: some(values),
    }));
}

const fieldsOf = (cases: fc.Arbitrary<Case>, names: readonly string[]): fc.Arbitrary<Case> =>
  fc.dictionary(fc.constantFrom(...names), cases, { maxKeys: 3 }).chain(objectOf);

const { root: cases } = fc.letrec<{ schema: Case; root: Case }>((tie) => {
  const inner = tie('schema');
  const below: readonly fc.Arbitrary<Case>[] = [
    inner.map(({ schema, values }) => ({
      schema: Type.Union([schema, Type.Null()]),
      values: fc.oneof(values, fc.constant(null)),
    })),
    fc.tuple(inner, options({ minItems: count, maxItems: count })).map(([one, given]) => ({
      schema: Type.Array(one.schema, given),
      values: some(fc.array(one.values, { maxLength: 4 })),
    })),
    fc
      .tuple(inner, options({ minProperties: count, maxProperties: count }))
      .map(([one, given]) => ({
        schema: Type.Record(Type.String(), one.schema, given),
        values: some(fc.dictionary(fc.constantFrom('a', 'b', 'c/d'), one.values)),
      })),
    fieldsOf(inner, ['a', 'b', 'c']),
  ];
  return {
    root: fc.oneof(inner, fieldsOf(inner, ['a', 'b', 'c'])),
    schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.oneof(...scalars), ...below),
  };
});

/** Reports whether the API server kept everything: it drops unknown fields, and null where null is no value. */
const isKept = (sent: unknown, stored: unknown): boolean => {
  if (typeof sent !== 'object' || sent === null) return sent === stored;
  if (typeof stored !== 'object' || stored === null) return false;
  return Object.entries(sent).every(
    ([name, value]) =>
      Object.hasOwn(stored, name) && isKept(value, (stored as Record<string, unknown>)[name]),
  );
};

const judge = createSchemaJudge();
afterAll(judge.stop);

it(
  'C-9 a schema is refused, or the API server judges each value as the kind does',
  async () => {
    const seen = { refused: 0, accepted: 0, good: 0, bad: 0, defaulted: 0 };
    const property = fc.asyncProperty(
      cases.chain(({ schema, values }) =>
        fc.tuple(fc.constant(schema), fc.array(values, { minLength: 1, maxLength: 8 })),
      ),
      async ([schema, values]) => {
        let verdictOn: Awaited<ReturnType<typeof judge.install>>;
        try {
          verdictOn = await judge.install(schema);
        } catch (error) {
          // The kind is refused or, for a default, its CRD; the place is named.
          expect(String(error)).toMatch(
            /^Error: (Probe\d+: spec\.value|CRD refused: .*properties\[value\].*\.default\b)/,
          );
          seen.refused++;
          return;
        }
        seen.accepted++;
        for (const value of values) {
          const verdict = verdictOn(value);
          const { refusal, invalid, invalidAsSent, received, stored } = verdict;
          if (refusal !== undefined) {
            seen.bad++;
            // TypeBox counts fields that the API server drops, for example in minProperties.
            if (unknownField(placesIn(structuralSchema(schema, 'value'), value, '')) === undefined)
              expect(invalidAsSent, refusal).toEqual(expect.any(String));
            continue;
          }
          seen.good++;
          expect({ value, stored, invalid }).toMatchObject({ invalid: undefined });
          if (!isKept(value, stored)) continue;
          expect({ value, invalidAsSent, received }).toEqual({ value, received: stored });
          if (!isKept(stored, value)) seen.defaulted++;
        }
      },
    );
    await fc.assert(property, effort(1000));
    for (const [name, times] of Object.entries(seen)) expect(times, name).toBeGreaterThan(3);
  },
  testTimeoutMs,
);
