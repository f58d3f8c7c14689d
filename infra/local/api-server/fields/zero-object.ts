import type { JsonObject } from '../json/value.ts';
import { isBuiltIn, resolveRef, type Schema, type SchemaSource } from '../schema/schema.ts';

/**
 * Returns the object with which a create is compared. The server decodes built-in kinds into Go structs.
 * Embedded structs and required fields always exist there with zero values, so a creator does not own them.
 * For a custom resource the object is empty.
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
  // For definitions that are no structs of the table, the schema lists the fields that always exist.
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
