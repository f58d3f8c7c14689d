import {
  Any,
  Array as ArraySchema,
  Boolean as BooleanSchema,
  Codec,
  Enum,
  Integer,
  Intersect,
  IsString,
  Literal,
  Never,
  Null,
  Number as NumberSchema,
  Object as ObjectSchema,
  Optional,
  Readonly,
  RecordFromPattern,
  Refine,
  StringKey,
  String as StringSchema,
  type TObjectOptions,
  type TRecord,
  type TSchema,
  type TString,
  Tuple,
  Union,
  Unknown,
  Unsafe,
  With,
} from 'typebox';

/**
 * The builders of schemas, as in TypeBox, for what JSON can contain: `Type.Object({ size: Type.Integer() })`. The keys
 * of a `Record` are `Type.String()`; others throw a TypeError. Left out is what computes a schema from others (`Partial`,
 * `Pick`, `KeyOf`, …), whose evaluator would be 39 kB of each bundle, and `Script` and `TemplateLiteral`, whose parser
 * would be 24 kB more. Schemas made with TypeBox's own are accepted, at this cost: `import { Partial } from 'typebox'`.
 */
export const Type = {
  Any,
  Array: ArraySchema,
  Boolean: BooleanSchema,
  Codec,
  Enum,
  Integer,
  Intersect,
  Literal,
  Never,
  Null,
  Number: NumberSchema,
  Object: ObjectSchema,
  Optional,
  Readonly,
  Record<Value extends TSchema>(
    key: TString,
    value: Value,
    options: TObjectOptions = {},
  ): TRecord<typeof StringKey, Value> {
    if (!IsString(key))
      throw new TypeError(
        'Type.Record: the keys must be Type.String(); use Type.Object for known keys',
      );
    // As in TypeBox, the type does not tell a pattern of the keys, which `structuralSchema` refuses.
    const { pattern = StringKey } = key as { readonly pattern?: typeof StringKey };
    return With(RecordFromPattern(pattern, value), options);
  },
  Refine,
  String: StringSchema,
  Tuple,
  Union,
  Unknown,
  Unsafe,
  With,
} as const;
