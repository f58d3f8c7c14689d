import { isFields, present } from '../../json.ts';
import {
  annotations,
  asOneType,
  dropped,
  intOrString,
  ofNumber,
  ofString,
} from './alternatives.ts';
import { checkText, type Keywords, refuse, translateBounds } from './keywords.ts';
import { preserve, type StructuralSchema } from './walk.ts';

const types: readonly unknown[] = ['object', 'array', 'string', 'integer', 'number', 'boolean'];

/** Keywords that mean the same for TypeBox and the API server. */
const known: readonly string[] = [
  'type',
  'default',
  'nullable',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'minProperties',
  'maxProperties',
  'items',
  'minItems',
  'maxItems',
  'anyOf',
  'format',
  'x-kubernetes-validations',
  'x-kubernetes-map-type',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  preserve,
  intOrString,
  ...annotations,
  ...ofNumber,
  ...ofString,
];

const inPlace = 'replace each reference with its schema; nest a recursive schema to a fixed depth';

const remedies: Readonly<Record<string, string>> = {
  allOf: 'write one Type.Object with all fields: { ...one.properties, ...other.properties }',
  additionalItems: 'use an object with named fields in place of a tuple',
  [intOrString]: 'use Type.Union([Type.Integer(), Type.String()])',
  uniqueItems: `use 'x-kubernetes-list-type': 'set'`,
  nullable: 'use Type.Union([…, Type.Null()])',
  $ref: inPlace,
  $defs: inPlace,
};

/**
 * Translates a TypeBox schema to one with which the API server accepts exactly what TypeBox accepts after
 * `withDefaults`.
 *
 * Caveats: only the API server checks the schema's defaults and list types, and refuses duplicates in lists of type
 * `set` or `map`. For some formats it accepts more, such as an IPv4 address with leading zeros. Patterns may have
 * another meaning in its RE2: `.` also matches `\r`, U+2028 and U+2029, `\s` matches only ASCII spaces, and `[^]` and
 * `[]` begin a character class.
 */
export function structuralSchema(schema: object, path: string): StructuralSchema {
  if ('nullable' in schema) refuseKeyword('nullable', path);
  const kept = Object.entries(asOneType(schema as Keywords, path));
  const one = Object.fromEntries(kept.filter(([name]) => !dropped.includes(name)));
  const typed = isAny(one) ? { ...one, [preserve]: true, nullable: true } : one;
  checkKeywords(typed, path);
  checkText(typed, path);
  if (typed.default === null) refuse(path, 'null is not supported as a default; use Type.Optional');
  return translateBelow(translateBounds(typed, path), path);
}

/** Reports whether a schema allows any value. Such a schema can have no rules, because rules need a type. */
const isAny = (schema: Keywords): boolean =>
  Object.keys(schema).every((name) => [preserve, 'default', ...annotations].includes(name));

function refuseKeyword(name: string, path: string): never {
  const remedy = remedies[name] ?? 'use a rule (withRules) or a simpler type';
  return refuse(path, `${name} is not supported here; ${remedy}`);
}

function checkKeywords(schema: Keywords, path: string): void {
  const { type, anyOf } = schema;
  if (type !== undefined && !types.includes(type))
    refuse(path, `type ${JSON.stringify(type)} is not supported; use one JSON type`);
  const isTyped = type !== undefined || anyOf !== undefined || schema[preserve] === true;
  const other = Object.keys(schema).find((name) => !isTyped || !known.includes(name));
  if (other !== undefined) refuseKeyword(other, path);
}

function translateBelow(schema: Keywords, path: string): StructuralSchema {
  const { type, items } = schema;
  if (type === 'object') return translateObject(schema, path);
  if (type !== 'array') return schema as StructuralSchema;
  if (!isFields(items)) refuse(path, 'a list needs a schema for its items');
  return { ...schema, items: structuralSchema(items as object, `${path}[]`) };
}

/** Makes a field with a default optional, because the API server sets it. */
function translateObject(schema: Keywords, path: string): StructuralSchema {
  const { properties = {}, required = [] } = schema as StructuralSchema;
  const inherited = Object.keys(properties).find((name) => name in Object.prototype);
  if (inherited !== undefined)
    refuse(path, `the field name ${inherited} is not supported: every JavaScript object has it`);
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, structuralSchema(field, `${path}.${name}`)] as const,
  );
  const defaulted = fields.flatMap(([name, field]) => (field.default === undefined ? [] : [name]));
  const names = required.filter((name) => !defaulted.includes(name));
  const others = otherFields(schema, path);
  const { patternProperties: _, additionalProperties: __, ...rest } = schema;
  return present({
    ...rest,
    properties: 'properties' in schema ? Object.fromEntries(fields) : undefined,
    required: names.length > 0 ? names : undefined,
    ...others,
  });
}

/** The key pattern of every `Type.Record(Type.String(), …)`. */
const anyKey = '^.*$';

/** Returns the keywords for fields outside `properties`, which are dropped by default. */
function otherFields(schema: Keywords, path: string): Keywords {
  const { patternProperties, additionalProperties } = schema;
  const { [anyKey]: ofAnyKey, ...patterns } = (patternProperties ?? {}) as Keywords;
  if (Object.keys(patterns).length > 0)
    refuse(
      path,
      'patterns of keys are not supported; use Type.Record(Type.String(), …) and a rule',
    );
  const schemaOfOthers = ofAnyKey ?? additionalProperties;
  if (isFields(schemaOfOthers))
    return { additionalProperties: structuralSchema(schemaOfOthers as object, `${path}.*`) };
  return schemaOfOthers === true ? { [preserve]: true } : {};
}
