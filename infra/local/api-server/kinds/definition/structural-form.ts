import { type FieldError, forbidden, invalid, required } from '../../errors/field-error.ts';
import { isEmptyObject, jsonEqual } from '../../json/value.ts';
import type { Schema } from '../../schema/schema.ts';
import { checkNested, checkPattern, type Nested } from './structural-nested.ts';

type Level = 'root' | 'item' | 'field';

const missingType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Finds parts of a schema that are not structural: untyped fields, types in alternatives, metadata, and so on. */
export function checkInvariants(schema: Schema, level: Level, path: string): FieldError[] {
  const { items, properties = {}, additionalProperties } = schema;
  return [
    ...(schema.type === 'array' && items === undefined
      ? [required(`${path}.items`, 'must be specified')]
      : []),
    ...(items === undefined || Array.isArray(items)
      ? []
      : checkInvariants(items, 'item', `${path}.items`)),
    ...Object.entries(properties).flatMap(([name, property]) =>
      checkInvariants(property, 'field', `${path}.properties[${name}]`),
    ),
    ...(additionalProperties !== undefined && level === 'root'
      ? [forbidden(`${path}.additionalProperties`, 'must not be used at the root')]
      : []),
    ...(typeof additionalProperties === 'object'
      ? checkInvariants(additionalProperties, 'field', `${path}.additionalProperties`)
      : []),
    ...checkExtensions(schema, path),
    ...checkPattern(schema, path),
    ...checkAlternatives(schema, path),
    ...checkType(schema, level, path),
    ...checkMetadata(schema, level, path),
  ];
}

function checkExtensions(schema: Schema, path: string): FieldError[] {
  if (schema['x-kubernetes-int-or-string'] !== true) return [];
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  const others = [
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-embedded-resource',
  ] as const;
  return others
    .filter((name) => schema[name] === true)
    .map((name) => invalid(`${path}.${name}`, true, detail));
}

const intOrString = [{ type: 'integer' }, { type: 'string' }];

function checkAlternatives(schema: Schema, path: string): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not } = schema;
  const isIntOrString = jsonEqual(anyOf, intOrString);
  const nested: Nested[] = [
    ...(isIntOrString
      ? []
      : anyOf.map((one, index) => ({ schema: one, path: `${path}.anyOf[${index}]` }))),
    ...allOf.map((one, index) => ({
      schema: withoutIntOrString(one, index),
      path: `${path}.allOf[${index}]`,
    })),
    ...oneOf.map((one, index) => ({ schema: one, path: `${path}.oneOf[${index}]` })),
    ...(not === undefined ? [] : [{ schema: not, path: `${path}.not` }]),
  ];
  return nested.flatMap(checkNested);
}

/** The first schema in an allOf may list the two types of an int-or-string. */
function withoutIntOrString(schema: Schema, index: number): Schema {
  if (index > 0 || !jsonEqual(schema.anyOf, intOrString)) return schema;
  const { anyOf: _, ...rest } = schema;
  return rest;
}

function checkType(schema: Schema, level: Level, path: string): FieldError[] {
  const { type = '', properties = {}, additionalProperties } = schema;
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const errors: FieldError[] = [];
  if (isResource && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(
      type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail),
    );
  } else if (type === '' && schema['x-kubernetes-int-or-string'] !== true && !preserves) {
    errors.push(required(`${path}.type`, missingType[level]));
  }
  if (isResource && additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(`${path}.type`, type, 'must be object at the root'));
  }
  if (isResource && !preserves && isEmptyObject(properties)) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${path}.properties`, detail));
  }
  return errors;
}

function checkMetadata(schema: Schema, level: Level, path: string): FieldError[] {
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const errors: FieldError[] = [];
  const wanted = {
    kind: [kind, 'string'],
    apiVersion: [apiVersion, 'string'],
    metadata: [metadata, 'object'],
  } as const;
  for (const [name, [property, type]] of Object.entries(wanted)) {
    if (!isResource || property === undefined || property.type === type) continue;
    const field = `${path}.properties[${name}].type`;
    errors.push(invalid(field, property.type ?? '', `must be ${type}`));
  }
  if (level === 'root' && metadata !== undefined && !isPlainMetadata(metadata)) {
    const detail =
      'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(`${path}.properties[metadata]`, detail));
  }
  return errors;
}

function isPlainMetadata({ properties = {}, type: _, default: __, ...rest }: Schema): boolean {
  const isNamed = Object.keys(properties).every(
    (name) => name === 'name' || name === 'generateName',
  );
  return isNamed && isEmptyObject(rest);
}
