import type { JsonObject } from '../schema/json.ts';
import {
  type Definitions,
  isBuiltIn,
  resolve,
  type Schema,
  type SchemaSource,
} from '../schema/schema.ts';

/**
 * What a write that creates an object is compared with. The server decodes built-in kinds into
 * structures whose embedded structures and required fields are always there, with zero values, so
 * their creator does not own those by adding them; a custom resource starts with nothing.
 */
export function zeroObject(source: SchemaSource): JsonObject {
  if (!isBuiltIn(source)) return {};
  const { root, definitions } = source;
  const known = zeroes.get(root);
  if (known !== undefined) return known;
  const zero = zeroOf(resolve(root, definitions), definitions);
  zeroes.set(root, zero);
  return zero;
}

const zeroes = new WeakMap<Schema, JsonObject>();

function zeroOf(schema: Schema, definitions: Definitions): JsonObject {
  const zero: Record<string, unknown> = {};
  const required = new Set(schema.required);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const isStructure = isEmptyDefault(field.default);
    if (isStructure) zero[name] = zeroOf(resolve(field, definitions), definitions);
    else if (required.has(name)) zero[name] = zeroValue(field);
  }
  return zero;
}

function isEmptyDefault(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

const zeroValues: Readonly<Record<string, unknown>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
};

function zeroValue({ type = '' }: Schema): unknown {
  return zeroValues[type] ?? null;
}
