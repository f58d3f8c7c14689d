import { type TSchema, Type } from 'typebox';
import { withRules } from '../../shared/kinds/schema/rules.ts';

export interface Translation {
  readonly reason: string;
  readonly given: TSchema;
  readonly want: object;
  /** Values that the API server and the kind accept. */
  readonly good?: readonly unknown[];
  /** Values that both refuse. */
  readonly bad?: readonly unknown[];
}

const text = { type: 'string' };
/** The bounds of every integer. */
const exact = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const integer = { type: 'integer', ...exact };
const types = [{ type: 'integer' }, { type: 'string' }];
export const isOdd = {
  rule: 'self.a % 2 == 1',
  holds: ({ a }: { readonly a: number }) => a % 2 === 1,
  message: 'must be odd',
};
const odd = Type.Object({ a: Type.Integer() }, withRules(isOdd));
const oddSchema = {
  type: 'object',
  required: ['a'],
  properties: { a: integer },
  'x-kubernetes-validations': [{ rule: isOdd.rule, message: isOdd.message }],
};

const port = { port: 1, path: null, labels: {} };
export const portList = (keys: unknown) =>
  Type.Array(
    Type.Object({
      port: Type.Integer(),
      protocol: Type.String({ default: 'TCP' }),
      name: Type.Optional(Type.String()),
      path: Type.Union([Type.String(), Type.Null()]),
      labels: Type.Object({}),
    }),
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys },
  );

/** Schemas of TypeBox, with the structural schemas that they become. */
export const translations: Record<string, Translation> = {
  Record: {
    reason: 'a map with a schema for all values',
    given: Type.Record(Type.String(), Type.Integer(), { maxProperties: 2 }),
    want: { type: 'object', additionalProperties: integer, maxProperties: 2 },
    good: [{}, { a: 1, 'b/c': 2 }],
    bad: [{ a: 'x' }, { a: 1, b: 2, c: 3 }, []],
  },
  RecordOfNames: {
    reason: 'known keys are fields',
    given: Type.Record(Type.Union([Type.Literal('a'), Type.Literal('b')]), Type.Integer()),
    want: {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: integer, b: integer },
    },
    bad: [{ a: 1 }],
  },
  RecordWithRules: {
    reason: 'rules on the values of a map are checked on both sides',
    given: Type.Record(Type.String({ maxLength: 9 }), odd, { maxProperties: 9 }),
    want: { type: 'object', additionalProperties: oddSchema, maxProperties: 9 },
    good: [{ x: { a: 1 } }],
    bad: [{ x: { a: 1 }, y: { a: 2 } }],
  },
  Literal: {
    reason: 'a literal is an enum of one value',
    given: Type.Literal('a'),
    want: { type: 'string', enum: ['a'] },
    good: ['a'],
    bad: ['b', 1],
  },
  LiteralOfTrue: {
    reason: 'literals may be booleans',
    given: Type.Literal(true),
    want: { type: 'boolean', enum: [true] },
    good: [true],
    bad: [false],
  },
  Literals: {
    reason: 'whole numbers are integers',
    given: Type.Union([Type.Literal(1), Type.Literal(2)], { description: 'one or two' }),
    want: { type: 'integer', enum: [1, 2], description: 'one or two' },
    good: [2],
    bad: [3, '1'],
  },
  Enum: {
    reason: 'the type of an enum is added',
    given: Type.Enum(['a', 'b'], { default: 'b' }),
    want: { type: 'string', enum: ['a', 'b'], default: 'b' },
    good: ['a', undefined],
    bad: ['c'],
  },
  EnumOfText: {
    reason: 'an enum of a type stays as it is',
    given: Type.String({ enum: ['a'] }),
    want: { type: 'string', enum: ['a'] },
    bad: ['b'],
  },
  Nullable: {
    reason: 'a union with Null is nullable',
    given: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
    want: { type: 'string', minLength: 1, nullable: true },
    good: [null, 'a'],
    bad: ['', 1],
  },
  NullableLiterals: {
    reason: 'null is added to the values, or the API server refuses it',
    given: Type.Union([Type.Literal('a'), Type.Null(), Type.Literal('b')]),
    want: { type: 'string', enum: ['a', 'b', null], nullable: true },
    good: ['a', null],
    bad: ['c'],
  },
  NullableObject: {
    reason: 'defaults, required fields and rules of the object stay, and null breaks no rule',
    given: Type.Union([
      Type.Object({ a: Type.Integer({ default: 1 }) }, withRules(isOdd)),
      Type.Null(),
    ]),
    want: {
      type: 'object',
      properties: { a: { ...integer, default: 1 } },
      'x-kubernetes-validations': oddSchema['x-kubernetes-validations'],
      nullable: true,
    },
    good: [null, {}, { a: 3 }],
    bad: [{ a: 2 }],
  },
  IntegerOrString: {
    reason: 'in either order; a bound applies to one type',
    given: Type.Union([Type.String({ pattern: '^[0-9]+%$' }), Type.Integer({ minimum: 1 })]),
    want: {
      anyOf: types,
      'x-kubernetes-int-or-string': true,
      ...exact,
      pattern: '^[0-9]+%$',
      minimum: 1,
    },
    good: [1, '50%'],
    bad: [0, '50', 1.5, null, true],
  },
  NullableIntegerOrString: {
    reason: 'three alternatives may be nested',
    given: Type.Union([Type.Union([Type.Integer(), Type.String()]), Type.Null()]),
    want: { anyOf: types, 'x-kubernetes-int-or-string': true, ...exact, nullable: true },
    good: [null, 1, 'a'],
    bad: [[]],
  },
  Any: {
    reason: 'nothing is known of the value, so nothing is dropped',
    given: Type.Any(),
    want: { 'x-kubernetes-preserve-unknown-fields': true, nullable: true },
    good: [null, 1, 'a', [1], { a: { b: null } }],
  },
  Unknown: {
    reason: 'an unknown value keeps its fields, too',
    given: Type.Unknown({ description: 'what you like' }),
    want: {
      description: 'what you like',
      'x-kubernetes-preserve-unknown-fields': true,
      nullable: true,
    },
    good: [null],
  },
  OpenObject: {
    reason: 'additionalProperties: true keeps unknown fields',
    given: Type.Object({ a: Type.Optional(Type.Integer()) }, { additionalProperties: true }),
    want: {
      type: 'object',
      properties: { a: integer },
      'x-kubernetes-preserve-unknown-fields': true,
    },
    good: [{ b: 1 }],
    bad: [{ a: 'x' }],
  },
  ClosedObject: {
    reason: 'the API server drops unknown fields in any case',
    given: Type.Object({ a: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
    want: { type: 'object', properties: { a: integer } },
    good: [{ a: 1 }],
  },
  ExclusiveMinimum: {
    reason: 'OpenAPI v3 has a flag for it',
    given: Type.Number({ exclusiveMinimum: 0, maximum: 10 }),
    want: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 10 },
    good: [0.1, 1, 10],
    bad: [0, -1, 10.5, 11],
  },
  ExclusiveMaximum: {
    reason: 'OpenAPI v3 has a flag for this, too',
    given: Type.Integer({ exclusiveMaximum: 7, minimum: 5 }),
    want: { type: 'integer', minimum: 5, maximum: 7, exclusiveMaximum: true },
    good: [5, 6],
    bad: [4, 7],
  },
  NestedDefault: {
    reason: 'defaults are kept at every level, also below an optional parent',
    given: Type.Object({
      a: Type.Optional(Type.Object({ b: Type.Integer({ default: 1 }), c: Type.String() })),
      list: Type.Optional(Type.Array(Type.Object({ d: Type.Integer({ default: 2 }) }))),
      map: Type.Optional(
        Type.Record(Type.String(), Type.Object({ e: Type.Integer({ default: 3 }) })),
      ),
    }),
    want: {
      type: 'object',
      properties: {
        a: {
          type: 'object',
          required: ['c'],
          properties: { b: { ...integer, default: 1 }, c: text },
        },
        list: {
          type: 'array',
          items: { type: 'object', properties: { d: { ...integer, default: 2 } } },
        },
        map: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            properties: { e: { ...integer, default: 3 } },
          },
        },
      },
    },
    good: [{}, { a: { c: 'x' } }, { list: [{}, { d: 1 }] }, { map: { x: {} } }],
    bad: [{ a: {} }],
  },
  DefaultOfObject: {
    reason: 'the defaults of its fields fill it',
    given: Type.Object({ a: Type.Integer({ default: 1 }) }, { default: {} }),
    want: { type: 'object', properties: { a: { ...integer, default: 1 } }, default: {} },
    good: [undefined, {}],
  },
  Dropped: {
    reason: 'these keywords constrain nothing',
    given: Type.String({ $id: 'x', examples: ['a'], title: 'T', description: 'D', readOnly: true }),
    want: { type: 'string', title: 'T', description: 'D' },
  },
  Lengths: {
    reason: 'both count code points',
    given: Type.String({ minLength: 2, maxLength: 2 }),
    want: { type: 'string', minLength: 2, maxLength: 2 },
    good: ['ab', '🦀🦀', 'e\u0301'],
    bad: ['a', '🦀', 'abc'],
  },
  SetOfNames: {
    reason: 'the keywords of Kubernetes are kept',
    given: Type.Array(Type.String(), { 'x-kubernetes-list-type': 'set', maxItems: 3 }),
    want: { type: 'array', items: text, 'x-kubernetes-list-type': 'set', maxItems: 3 },
    good: [['a', 'b']],
    bad: [['a', 'b', 'c', 'd'], [1]],
  },
  MapOfPorts: {
    reason: 'keys are required or have a default',
    given: portList(['port', 'protocol']),
    want: {
      type: 'array',
      items: {
        type: 'object',
        required: ['port', 'path', 'labels'],
        properties: {
          port: integer,
          protocol: { type: 'string', default: 'TCP' },
          name: text,
          path: { ...text, nullable: true },
          labels: { type: 'object', properties: {} },
        },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    },
    good: [[port, { ...port, protocol: 'UDP' }]],
    bad: [[{}]],
  },
  AtomicMap: {
    reason: 'an apply replaces it as a whole',
    given: Type.Record(Type.String(), Type.String(), { 'x-kubernetes-map-type': 'atomic' }),
    want: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
  },
  TemplateLiteral: {
    reason: 'TypeBox makes it a pattern',
    given: Type.TemplateLiteral([Type.Literal('v'), Type.Number()]),
    want: { type: 'string', pattern: '^v-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$' },
    good: ['v1'],
    bad: ['1'],
  },
  Format: {
    reason: 'both check this format',
    given: Type.String({ format: 'date' }),
    want: { type: 'string', format: 'date' },
    good: ['2026-11-22'],
    bad: ['2026-02-30', 'x'],
  },
  Pattern: {
    reason: 'RE2 and JavaScript read the pattern alike',
    given: Type.String({ pattern: '^(?:[a-z\\]-]+|\\d{2,3}\\.\\w*\\x41)$' }),
    want: { type: 'string', pattern: '^(?:[a-z\\]-]+|\\d{2,3}\\.\\w*\\x41)$' },
    good: ['a]-', '12._A'],
    bad: ['1.A', 'é'],
  },
};
