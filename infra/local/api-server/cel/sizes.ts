import { own } from '../json/own.ts';
import type { Schema } from '../schema/schema.ts';
import { asResource, escapeName } from './types.ts';

/** The maximum size of a value: characters of a string, items of a list, entries of a map. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const unknownSize: Size = { min: 0, max: Number.POSITIVE_INFINITY };

/** The server's limit for a request in bytes, which bounds values that a schema does not bound. */
export const maxRequestBytes = 3 * 1024 * 1024;

const maxTextBytes = maxRequestBytes - 2;
const maxBytesOfFormats: Readonly<Record<string, number>> = {
  date: 12,
  'date-time': 32,
  duration: 32,
};

/** Returns the maximum size of a value of this schema; zero for a value without a size. */
export function maxSizeOf(schema: Schema): number {
  const {
    type,
    format = '',
    maxLength,
    maxItems,
    maxProperties,
    items,
    additionalProperties,
  } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) {
    return maxLength === undefined ? maxTextBytes : maxLength * 4;
  }
  if (type === 'string') return maxTextOf(format, maxLength, schema.enum);
  if (type === 'array' && items !== undefined) {
    return maxItems ?? Math.floor(maxTextBytes / (minBytesOf(items) + 1));
  }
  if (type === 'object' && typeof additionalProperties === 'object') {
    return maxProperties ?? Math.floor(maxTextBytes / (minBytesOf(additionalProperties) + 6));
  }
  return 0;
}

function maxTextOf(
  format: string,
  maxLength: number | undefined,
  values: readonly unknown[] = [],
): number {
  const ofFormat = maxBytesOfFormats[format];
  if (ofFormat !== undefined) return ofFormat;
  // A character takes up to four bytes; base64 is ASCII.
  if (maxLength !== undefined) return format === 'byte' ? maxLength : maxLength * 4;
  if (format === 'byte' || values.length === 0) return maxTextBytes;
  return Math.max(0, ...values.map((value) => (typeof value === 'string' ? value.length : 0)));
}

const minBytes: Readonly<Record<string, number>> = {
  boolean: 4,
  integer: 1,
  number: 1,
  string: 2,
  array: 2,
};
const minBytesOfFormats: Readonly<Record<string, number>> = {
  date: 12,
  'date-time': 21,
  duration: 3,
};

/** Returns the minimum number of bytes in which a value of this schema can be sent. */
export function minBytesOf(schema: Schema): number {
  const { type = '', format = '', properties = {}, additionalProperties, required = [] } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) return 1;
  if (type === 'string') return own(minBytesOfFormats, format) ?? 2;
  if (type !== 'object' || typeof additionalProperties === 'object')
    return own(minBytes, type) ?? 2;
  return required.reduce((sum, name) => {
    const property = own(properties, name);
    const isSent = property !== undefined && property.default === undefined;
    return isSent ? sum + name.length + minBytesOf(property) + 4 : sum;
  }, 2);
}

/** Returns the schema of a field by its name in expressions. */
export function fieldNamed(schema: Schema | undefined, name: string): Schema | undefined {
  const isResource = schema?.['x-kubernetes-embedded-resource'] === true;
  const { properties = {}, additionalProperties } =
    (isResource ? asResource(schema) : schema) ?? {};
  const found = Object.entries(properties).find(([property]) => escapeName(property) === name);
  return (
    found?.[1] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  );
}
