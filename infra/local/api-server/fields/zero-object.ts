import type { JsonObject } from '../json/value.ts';
import { isBuiltIn, resolveRef, type Schema, type SchemaSource } from '../schema/schema.ts';

/**
 * What a write that creates an object is compared with. The server decodes built-in kinds into
 * structures whose embedded structures and required fields are always there, with zero values, so
 * their creator does not own those by adding them; a custom resource starts with nothing.
 */
export function zeroObject(source: SchemaSource): JsonObject {
  if (!isBuiltIn(source)) return {};
  const known = zeroObjects.get(source.root);
  if (known !== undefined) return known;
  const zero = zeroOf(source.root, source);
  zeroObjects.set(source.root, zero);
  return zero;
}

const zeroObjects = new WeakMap<Schema, JsonObject>();

function zeroOf(given: Schema, source: SchemaSource): JsonObject {
  const zero: Record<string, unknown> = {};
  const schema = resolveRef(given, source.definitions);
  // Of what is not among the structures the schema says which fields are always there.
  const { added = schema.required ?? [], nulls = [] } = source.zeroes?.get(schema) ?? {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (isEmptyDefault(field.default)) zero[name] = zeroOf(field, source);
    else if (nulls.includes(name)) zero[name] = null;
    else if (added.includes(name)) zero[name] = zeroValue(field);
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
