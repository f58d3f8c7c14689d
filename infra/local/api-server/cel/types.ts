import { Environment } from '@marcbachmann/cel-js';
import { own } from '../json/own.ts';
import { isObject } from '../json/value.ts';
import { inGoForm } from '../schema/formats.ts';
import type { Schema } from '../schema/schema.ts';

/** The form of a schema's values in CEL: their type, and the conversion of a value. */
export interface CelType {
  readonly name: string;
  readonly convert: (value: unknown) => unknown;
  /** For an object: its fields, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, CelType>;
  readonly element?: CelType;
}

const dyn: CelType = {
  name: 'dyn',
  convert: (value) => (Number.isInteger(value) ? BigInt(value as number) : value),
};

const scalars: Readonly<Record<string, CelType>> = {
  boolean: { name: 'bool', convert: (value) => value },
  integer: { name: 'int', convert: (value) => BigInt(Math.trunc(Number(value))) },
  number: { name: 'double', convert: Number },
  string: { name: 'string', convert: (value) => value },
};

// The library does not export its constructor of durations.
const parseDuration = new Environment({ unlistedVariablesAreDyn: true }).parse('duration(text)');

const formats: Readonly<Record<string, CelType>> = {
  byte: { name: 'bytes', convert: (text) => Uint8Array.from(Buffer.from(String(text), 'base64')) },
  date: { name: 'google.protobuf.Timestamp', convert: (text) => new Date(String(text)) },
  'date-time': { name: 'google.protobuf.Timestamp', convert: (text) => new Date(String(text)) },
  duration: {
    name: 'google.protobuf.Duration',
    convert: (text) => parseDuration({ text: inGoForm(String(text)) }),
  },
};

const text: Schema = { type: 'string' };
const typeAndName: Readonly<Record<string, Schema>> = {
  apiVersion: text,
  kind: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
};

/** The schema of a resource as rules at its root see it: metadata has only the names. */
export function asResource(schema: Schema): Schema {
  return isNamed(schema)
    ? schema
    : { ...schema, properties: { ...schema.properties, ...typeAndName } };
}

function isNamed({ properties: { apiVersion, kind, metadata } = {} }: Schema): boolean {
  const names = metadata?.type === 'object' ? metadata.properties : undefined;
  const texts = [apiVersion, kind, names?.name, names?.generateName];
  return texts.every((schema) => schema?.type === 'string');
}

interface Declaring {
  readonly environment: Environment;
  /** Makes type names unique. */
  readonly path: string;
}

/**
 * The CEL type of a schema, with all object types below it declared in the environment; undefined
 * if rules cannot see its values.
 */
export function declareType(
  schema: Schema,
  isResource: boolean,
  declaring: Declaring,
): CelType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) return dyn;
  const type = declareNonNull(schema, isResource, declaring);
  if (type === undefined || schema.nullable !== true) return type;
  return {
    ...type,
    name: 'dyn',
    convert: (value) => (value === null ? null : type.convert(value)),
  };
}

function declareNonNull(
  schema: Schema,
  isResource: boolean,
  declaring: Declaring,
): CelType | undefined {
  const { type = '', format = '' } = schema;
  if (isResource) return declareObject(schema, asResource(schema).properties ?? {}, declaring);
  if (type === 'array') return declareList(schema, declaring);
  if (type === 'string') return formats[format] ?? scalars.string;
  if (type !== 'object') return scalars[type];
  return typeof schema.additionalProperties === 'object'
    ? declareMap(schema.additionalProperties, declaring)
    : declareObject(schema, schema.properties ?? {}, declaring);
}

function declareChild(
  schema: Schema,
  name: string,
  { environment, path }: Declaring,
): CelType | undefined {
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  return declareType(schema, isResource, { environment, path: `${path}.${name}` });
}

function declareList({ items }: Schema, declaring: Declaring): CelType | undefined {
  const element = items && declareChild(items, 'items', declaring);
  if (element === undefined) return undefined;
  const convert = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((item) => element.convert(item)) : value;
  return { name: `list<${element.name}>`, convert, element };
}

function declareMap(values: Schema, declaring: Declaring): CelType | undefined {
  const element = declareChild(values, 'values', declaring);
  if (element === undefined) return undefined;
  const convert = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, entry]): [string, unknown] => [
      name,
      element.convert(entry),
    ]);
    return new Map(entries);
  };
  return { name: `map<string, ${element.name}>`, convert, element };
}

function declareObject(
  _: Schema,
  properties: Readonly<Record<string, Schema>>,
  declaring: Declaring,
): CelType {
  const { environment, path } = declaring;
  const fields = new Map<string, CelType>();
  const sources = new Map<string, string>();
  for (const [property, schema] of Object.entries(properties)) {
    // Omits names that every object inherits, because the library tells objects apart by what they inherit.
    const name = property in Object.prototype ? undefined : escapeName(property);
    const type = name === undefined ? undefined : declareChild(schema, name, declaring);
    if (name === undefined || type === undefined) continue;
    fields.set(name, type);
    sources.set(property, name);
  }
  const ctor = instances();
  const declared = [...fields].map(([name, type]) => [name, type.name]);
  environment.registerType(path, { ctor, fields: Object.fromEntries(declared) });
  environment.registerOperator(`${path} == ${path}`, celEqual);
  const convert = (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const instance = new ctor();
    for (const [property, name] of sources) {
      const field = own(value, property);
      if (field !== undefined) instance[name] = fields.get(name)?.convert(field);
    }
    return instance;
  };
  return { name: path, convert, fields };
}

/** CEL identifies the types of objects by their constructors, so each type needs one of its own. */
function instances(): new () => Record<string, unknown> {
  return class {
    [name: string]: unknown;
  };
}

/** Equality of two values of one type. */
export function celEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    // An int and a double of one value are equal.
    return typeof a !== typeof b && Number(a) === Number(b) && isNumeric(a) && isNumeric(b);
  }
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  const [left, right] = [entriesOf(a), entriesOf(b)];
  if (left.size !== right.size) return false;
  return [...left].every(([key, value]) => right.has(key) && celEqual(value, right.get(key)));
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'bigint' || typeof value === 'number';
}

function entriesOf(value: object): Map<unknown, unknown> {
  return value instanceof Map ? value : new Map<unknown, unknown>(Object.entries(value));
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** Returns the name of a property in expressions; undefined if they cannot name it. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => escapes[part] ?? part);
}
