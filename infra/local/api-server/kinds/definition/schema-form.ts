import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../errors/field-error.ts';
import { own } from '../../json/own.ts';
import { isEmptyObject } from '../../json/value.ts';
import { isMissingFormat } from '../../schema/formats.ts';
import type { Schema } from '../../schema/schema.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

const unsupported = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const;

interface Place {
  readonly isRoot: boolean;
  /** Why defaults are forbidden here. */
  readonly noDefaults?: string;
}

/** Finds features of OpenAPI that a custom resource's schema may not use, at and below a schema. */
export function checkSchemaForm(schema: Schema, path: string, place: Place): FieldError[] {
  return [
    ...checkKeywords(schema, path, place),
    ...checkMapType(schema, path),
    ...checkListType(schema, path),
    ...checkListKeys(schema, path),
    ...checkBelow(schema, path, place),
  ];
}

function checkKeywords(schema: Schema, path: string, { noDefaults }: Place): FieldError[] {
  const { type = '', format, properties = {}, additionalProperties, items } = schema;
  const given = schema as Readonly<Record<string, unknown>>;
  const errors = unsupported
    .filter((name) => given[name] !== undefined && given[name] !== '')
    .map((name) => forbidden(`${path}.${name}`, `${name} is not supported`));
  if (type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative';
    errors.push(forbidden(`${path}.type`, detail));
  } else if (type !== '' && !types.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, types));
  }
  if (schema.default !== undefined && noDefaults !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`));
  }
  if (Array.isArray(items)) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  }
  if (schema.uniqueItems === true) {
    const detail =
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(`${path}.uniqueItems`, detail));
  }
  const isOpen = additionalProperties === undefined || additionalProperties === true;
  if (!isOpen && !isEmptyObject(properties)) {
    const detail = 'additionalProperties and properties are mutual exclusive';
    errors.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    const field = `${path}.x-kubernetes-preserve-unknown-fields`;
    errors.push(invalid(field, false, 'must be true or undefined'));
  }
  if (type === 'string' && format !== undefined && isMissingFormat(format)) {
    errors.push(invalid(`${path}.format`, format, 'is not checked by the local cluster'));
  }
  return errors;
}

function checkMapType(schema: Schema, path: string): FieldError[] {
  const { type = '', 'x-kubernetes-map-type': mapType } = schema;
  if (mapType === undefined) return [];
  const kinds = ['atomic', 'granular'];
  return [
    ...mustHaveType('object', type, { path, keyword: 'x-kubernetes-map-type' }),
    ...(kinds.includes(mapType)
      ? []
      : [notSupported(`${path}.x-kubernetes-map-type`, mapType, kinds)]),
  ];
}

function mustHaveType(
  wanted: string,
  type: string,
  { path, keyword }: { path: string; keyword: string },
): FieldError[] {
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${keyword} is specified`;
  const field = `${path}.type`;
  return [type === '' ? required(field, detail) : invalid(field, type, detail)];
}

function checkListType(schema: Schema, path: string): FieldError[] {
  const { type = '', items, 'x-kubernetes-list-type': listType } = schema;
  if (listType === undefined) return [];
  const kinds = ['atomic', 'set', 'map'];
  const errors = mustHaveType('array', type, { path, keyword: 'x-kubernetes-list-type' });
  if (errors.length === 0 && listType === 'set' && items !== undefined) {
    errors.push(...checkSetItems(items, `${path}.items`));
  }
  if (!kinds.includes(listType)) {
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, kinds));
  }
  if (listType !== 'atomic' && items?.nullable === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbidden(`${path}.items.nullable`, detail));
  }
  return errors;
}

function checkSetItems(items: Schema, path: string): FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const { type, 'x-kubernetes-list-type': listType, 'x-kubernetes-map-type': mapType } = items;
  if (type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalid(`${path}.x-kubernetes-list-type`, listType, detail)];
  }
  if (type !== 'object' || mapType === 'atomic') return [];
  return [invalid(`${path}.x-kubernetes-map-type`, listType ?? null, detail)];
}

function checkListKeys(schema: Schema, path: string): FieldError[] {
  const { items, 'x-kubernetes-list-type': listType } = schema;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (listType !== 'map') {
    if (keys.length === 0) return [];
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const field = `${path}.x-kubernetes-list-type`;
    return [listType === undefined ? required(field, detail) : invalid(field, listType, detail)];
  }
  const errors: FieldError[] = [];
  if (keys.length === 0) {
    const detail = 'must not be empty if x-kubernetes-list-type is map';
    errors.push(required(`${path}.x-kubernetes-list-map-keys`, detail));
  }
  if (items === undefined) {
    const detail = 'must have a schema if x-kubernetes-list-type is map';
    return [...errors, required(`${path}.items`, detail)];
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(`${path}.items.type`, items.type ?? '', detail)];
  }
  return [...errors, ...keys.flatMap((key, index) => checkKey(key, { keys, index, items, path }))];
}

function checkKey(
  key: string,
  list: { keys: readonly string[]; index: number; items: Schema; path: string },
): FieldError[] {
  const { keys, index, items, path } = list;
  const property = own(items.properties, key);
  const field = `${path}.items.properties[${key}]`;
  const errors: FieldError[] = [];
  if (property === undefined) {
    const detail = 'entries must all be names of item properties';
    errors.push(invalid(`${path}.x-kubernetes-list-map-keys`, keys, detail));
  } else if (property.type === 'array' || property.type === 'object') {
    const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(`${field}.type`, items.type, detail));
  }
  if (keys.indexOf(key) < index) {
    const detail = 'must not contain duplicate entries';
    errors.push(invalid(`${path}.x-kubernetes-list-map-keys`, keys, detail));
  }
  const about = 'this property is in x-kubernetes-list-map-keys, so it';
  if (property !== undefined && property.default === undefined && !items.required?.includes(key)) {
    errors.push(
      required(`${field}.default`, `${about} must have a default or be a required property`),
    );
  }
  if (property?.nullable === true) {
    errors.push(forbidden(`${field}.nullable`, `${about} cannot be nullable`));
  }
  return errors;
}

function checkBelow(schema: Schema, path: string, { isRoot, noDefaults }: Place): FieldError[] {
  const { properties = {}, additionalProperties, items, not } = schema;
  const place = { isRoot: false, ...(noDefaults !== undefined && { noDefaults }) };
  const isTop = (name: string): boolean =>
    isRoot && ['metadata', 'kind', 'apiVersion'].includes(name);
  const inner = [
    ...Object.entries(properties).map(
      ([name, property]) =>
        [
          property,
          `properties[${name}]`,
          isTop(name) ? { isRoot: false, noDefaults: `in top-level ${name}` } : place,
        ] as const,
    ),
    ...(typeof additionalProperties === 'object'
      ? [[additionalProperties, 'additionalProperties', place] as const]
      : []),
    ...(items === undefined || Array.isArray(items) ? [] : [[items, 'items', place] as const]),
    ...(not === undefined ? [] : [[not, 'not', place] as const]),
    ...(['allOf', 'oneOf', 'anyOf'] as const).flatMap((name) =>
      (schema[name] ?? []).map((one, index) => [one, `${name}[${index}]`, place] as const),
    ),
  ];
  return inner.flatMap(([child, name, at]) => checkSchemaForm(child, `${path}.${name}`, at));
}
