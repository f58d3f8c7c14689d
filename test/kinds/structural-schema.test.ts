import { type TSchema, Type } from 'typebox';
import { afterAll, describe, expect, it } from 'vitest';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { withRules } from '../../shared/kinds/schema/rules.ts';
import { structuralSchema } from '../../shared/kinds/schema/structural-schema.ts';
import { casesOf } from '../support/cases.ts';
import { kindOf } from '../support/probe.ts';
import { createSchemaJudge } from '../support/schema-verdicts.ts';
import { isOdd, portList, translations } from './translations.ts';

const judge = createSchemaJudge();
afterAll(judge.stop);

interface Refusal {
  readonly reason: string;
  readonly given: TSchema;
  readonly want: string | RegExp;
}

const pattern = (text: string): TSchema => Type.String({ pattern: text });
const keyPattern = Type.String({ pattern: '^a' });

const refusals: Record<string, Refusal> = {
  Refine: {
    reason: 'the function would be lost silently',
    given: Type.Refine(
      Type.String(),
      (value) => value !== 'a',
      () => 'x',
    ),
    want: "Probe: spec.value: Type.Refine is not supported; use withRules, or the kind's `refuse`",
  },
  RefineBelow: {
    reason: 'a nested schema is named by its path',
    given: Type.Array(
      Type.Record(
        Type.String(),
        Type.Object({
          a: Type.Refine(
            Type.String(),
            () => true,
            () => 'x',
          ),
        }),
      ),
    ),
    want: /^Probe: spec\.value\[\]\.\*\.a: Type\.Refine/,
  },
  RefineInUnion: {
    reason: 'a union does not hide its members',
    given: Type.Union([
      Type.Null(),
      Type.Refine(
        Type.String(),
        () => true,
        () => 'x',
      ),
    ]),
    want: /Type\.Refine/,
  },
  Codec: {
    reason: 'nothing decodes at run time',
    given: Type.Decode(Type.String(), (value) => value.length),
    want: /Type\.Codec is not supported; convert the value in the kind's `children`/,
  },
  KeyPattern: {
    reason: 'the API server has no patterns of keys',
    given: Type.Record(keyPattern, Type.String()),
    want: /patterns of keys are not supported; use Type\.Record\(Type\.String\(\), …\) and a rule/,
  },
  MixedEnum: {
    reason: 'a field has one type',
    given: Type.Enum(['a', 1]),
    want: /enumeration must be all strings, all numbers or all booleans/,
  },
  EnumOfAnotherType: {
    reason: 'no value would be valid',
    given: Type.String({ enum: [1] }),
    want: /type is "string", but the values of enum have the type "integer"/,
  },
  NoValue: {
    reason: 'an empty enum has no value',
    given: Type.Enum([]),
    want: /enumeration must be/,
  },
  Never: { reason: 'the schema has no value', given: Type.Never(), want: /not is not supported/ },
  NullAlone: {
    reason: 'the API server has no such type',
    given: Type.Null(),
    want: /type "null" is not supported/,
  },
  OtherUnion: {
    reason: 'a field has a single type',
    given: Type.Union([Type.Boolean(), Type.String()]),
    want: 'Probe: spec.value: this union is not supported; use a union of literals, of Integer and String, or of one schema and Null',
  },
  UnionOfObjects: {
    reason: 'a structural schema has no alternatives',
    given: Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
    want: /use one object with an optional field for each alternative, and a rule \(withRules\) that requires exactly one$/,
  },
  NumberOrString: {
    reason: 'int-or-string allows integers only',
    given: Type.Union([Type.Number(), Type.String()]),
    want: /this union is not supported/,
  },
  FormatInUnion: {
    reason: 'the API server would apply it to both types',
    given: Type.Union([Type.Integer(), Type.String({ format: 'date' })]),
    want: /format on a member of this union/,
  },
  SetTwice: {
    reason: 'one of the two would be lost',
    given: Type.Union([Type.String({ minLength: 2 }), Type.Null()], { minLength: 1 }),
    want: /minLength is set on a union and on a member/,
  },
  EnumInUnion: {
    reason: 'each member of a union of values is one literal',
    given: Type.Union([Type.Literal('a'), Type.Enum(['b', 'c'])]),
    want: /this union is not supported; use a union of literals/,
  },
  Intersect: {
    reason: 'a structural schema has the fields of an object in one place',
    given: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
    want: 'Probe: spec.value: allOf is not supported here; write one Type.Object with all fields: { ...one.properties, ...other.properties }',
  },
  UniqueItems: {
    reason: 'the API server refuses it for its cost',
    given: Type.Array(Type.String(), { uniqueItems: true }),
    want: `Probe: spec.value: uniqueItems is not supported here; use 'x-kubernetes-list-type': 'set'`,
  },
  Contains: {
    reason: 'OpenAPI v3 lacks it',
    given: Type.Array(Type.String(), { contains: Type.Literal('a') }),
    want: /contains is not supported here; use a rule/,
  },
  Tuple: {
    reason: 'items have one schema',
    given: Type.Tuple([Type.String()]),
    want: /additionalItems is not supported here; use an object with named fields/,
  },
  NoItems: {
    reason: 'a structural list needs a schema of its items',
    given: Type.Unsafe({ type: 'array' }),
    want: /a list needs a schema for its items/,
  },
  Ref: {
    reason: 'there is nothing to refer to',
    given: Type.Ref('x'),
    want: /\$ref is not supported here; replace each reference with its schema/,
  },
  Cyclic: {
    reason: 'a structural schema is finite',
    given: Type.Cyclic({ A: Type.Object({ a: Type.Optional(Type.Ref('A')) }) }, 'A'),
    want: /\$defs is not supported here; replace each reference with its schema/,
  },
  Constructor: {
    reason: 'it is not JSON, and every JavaScript object has a field of this name',
    given: Type.Constructor([], Type.String()),
    want: /type "constructor" is not supported/,
  },
  BigInt: {
    reason: 'a value that is not JSON is refused',
    given: Type.BigInt(),
    want: /type "bigint" is not supported/,
  },
  Function: {
    reason: 'a value that is not JSON is refused',
    given: Type.Function([], Type.String()),
    want: /type "function" is not supported/,
  },
  TwoTypes: {
    reason: 'a field has a single type',
    given: Type.Unsafe({ type: ['string', 'null'] }),
    want: /type \["string","null"\] is not supported/,
  },
  KeywordNullable: {
    reason: 'TypeBox does not know it',
    given: Type.Unsafe({ type: 'string', nullable: true }),
    want: /nullable is not supported here; use Type\.Union/,
  },
  KeywordIntOrString: {
    reason: 'TypeBox does not know it',
    given: Type.Unsafe({ 'x-kubernetes-int-or-string': true }),
    want: /x-kubernetes-int-or-string is not supported here; use Type\.Union/,
  },
  OtherKeyword: {
    reason: 'the API server would drop it',
    given: Type.String({ mimimum: 1 }),
    want: /mimimum is not supported here/,
  },
  FormatOfInteger: {
    reason: 'TypeBox does not check it',
    given: Type.Integer({ format: 'int32' }),
    want: /format "int32" is not supported/,
  },
  Duration: {
    reason: 'TypeBox checks ISO 8601, the API server Go’s format',
    given: Type.String({ format: 'duration' }),
    want: /format "duration" is not supported; use a pattern/,
  },
  FractionalMinimum: {
    reason: 'the API server would accept 0',
    given: Type.Number({ minimum: 0.5 }),
    want: /minimum 0\.5 is not an integer/,
  },
  FractionalMaximum: {
    reason: 'the API server would refuse 1',
    given: Type.Number({ exclusiveMaximum: 1.5 }),
    want: /exclusiveMaximum 1\.5 is not an integer/,
  },
  FractionalMultiple: {
    reason: 'the API server divides integers by its integer part, 0',
    given: Type.Number({ multipleOf: 0.5 }),
    want: /multipleOf 0\.5 is not an integer; use a rule/,
  },
  NegativeMultiple: {
    reason: 'the API server requires a positive divisor',
    given: Type.Number({ multipleOf: -1 }),
    want: /multipleOf must be positive/,
  },
  BothBounds: {
    reason: 'OpenAPI v3 has one keyword for both',
    given: Type.Integer({ minimum: 1, exclusiveMinimum: 0 }),
    want: /minimum and exclusiveMinimum are both set; keep one/,
  },
  PatternOfServer: {
    reason: 'only the API server can read the pattern, so a run could check no spec',
    given: pattern('(?i)a'),
    want: /pattern "\(\?i\)a": Invalid regular expression/,
  },
  RegExp: {
    reason: 'the flags would be lost',
    given: Type.Unsafe({ type: 'string', pattern: /a/i }),
    want: /pattern must be a string, not a RegExp/,
  },
  DefaultOfNull: {
    reason: 'the API server takes null for no default',
    given: Type.Union([Type.String(), Type.Null()], { default: null }),
    want: /null is not supported as a default; use Type\.Optional/,
  },
  InheritedName: {
    reason: 'JavaScript finds the field in objects that do not have it',
    given: Type.Object({ constructor: Type.Optional(Type.String()) }),
    want: /the field name constructor is not supported/,
  },
};

/** Schemas that the API server itself refuses in a CRD. */
const leftToTheServer: Readonly<Record<string, TSchema>> = {
  FieldsAndOthers: Type.Object({ a: Type.String() }, { additionalProperties: Type.String() }),
  ListType: Type.Array(Type.String(), { 'x-kubernetes-list-type': 'bag' }),
  MapType: Type.Object({}, { 'x-kubernetes-map-type': 'map' }),
  SetOfObjects: Type.Array(Type.Object({}), { 'x-kubernetes-list-type': 'set' }),
  SetOfNull: Type.Array(Type.Union([Type.String(), Type.Null()]), {
    'x-kubernetes-list-type': 'set',
  }),
  KeysOfSet: Type.Array(Type.String(), { 'x-kubernetes-list-map-keys': ['a'] }),
  NoKeys: portList([]),
  KeyTwice: portList(['port', 'port']),
  KeyUnknown: portList(['prot']),
  KeyOptional: portList(['name']),
  KeyNullable: portList(['path']),
  KeyOfObject: portList(['labels']),
  BackReference: pattern('(a)\\1'),
  UnicodeEscape: pattern('\\u0041'),
  PosixClass: pattern('^[[:alpha:]$'),
  EmptyClass: pattern('[]'),
  Lookahead: pattern('^(?!a)b'),
  Lookbehind: pattern('(?<=a)b'),
  ManyRepeats: pattern('^a{1,1001}$'),
  BadDefault: Type.Integer({ default: 'x' }),
  BadDefaultOfObject: Type.Object({ a: Type.String() }, { default: {} }),
  UnknownFieldInDefault: Type.Object({ a: Type.Optional(Type.String()) }, { default: { b: 1 } }),
  IncompleteDefault: Type.Object(
    { a: Type.Integer({ default: 1 }) },
    { default: {}, minProperties: 1 },
  ),
  DefaultAgainstRule: Type.Object(
    { a: Type.Integer() },
    { default: { a: 2 }, ...withRules(isOdd) },
  ),
};

const specOf = (given: TSchema) => {
  const { spec } = customResourceDefinition(kindOf(given)) as never as {
    readonly spec: {
      readonly versions: readonly [
        {
          readonly schema: {
            readonly openAPIV3Schema: {
              readonly properties: {
                readonly spec: { readonly properties: { readonly value: object } };
              };
            };
          };
        },
      ];
    };
  };
  return spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.value;
};

describe('a TypeBox schema as a structural one', () => {
  it.each(casesOf(translations))('C-9 %s', async (_, { given, want, good, bad }) => {
    expect(specOf(given)).toEqual(want);
    const verdictOn = await judge.install(given);
    for (const value of good ?? []) {
      const { stored, ...verdict } = verdictOn(value);
      expect(verdict, JSON.stringify(value)).toEqual({ received: stored });
    }
    for (const value of bad ?? [])
      expect(verdictOn(value), JSON.stringify(value)).toMatchObject({
        refusal: expect.any(String),
        invalid: expect.any(String),
      });
  });

  it('C-9 accepts what the API server stored of an object with unknown fields', async () => {
    const closed = Type.Object(
      { a: Type.Optional(Type.Integer()) },
      { additionalProperties: false },
    );
    const verdictOn = await judge.install(closed);
    expect(verdictOn({ a: 1, b: 2 })).toMatchObject({ stored: { a: 1 }, invalid: undefined });
  });

  it.each(casesOf(refusals))('C-9 refuses %s', (_, { given, want }) => {
    expect(() => kindOf(given)).toThrow(want);
  });

  it.each(Object.entries(leftToTheServer))('C-9 leaves %s to the API server', async (_, given) => {
    await expect(judge.install(given)).rejects.toThrow('CRD refused');
  });

  it('keeps the order of keywords, so that a generated file changes only with its kind', () => {
    const schema = {
      type: 'integer',
      description: 'd',
      exclusiveMinimum: 0,
      maximum: 5,
      default: 1,
    };
    expect(JSON.stringify(structuralSchema(Type.Unsafe(schema), 'x'))).toBe(
      '{"type":"integer","description":"d","maximum":5,"default":1,"minimum":0,"exclusiveMinimum":true}',
    );
  });
});
