import { own, put } from '../json/own.ts';
import { copyOf } from '../json/text.ts';
import { isObject } from '../json/value.ts';
import type { Schema, SchemaSource } from './schema.ts';

/**
 * Adds the schema's defaults to a custom resource: for fields that are absent, or null and not nullable.
 *
 * Guarantees: the argument is not modified; the result shares unchanged parts with it.
 */
export function applyDefaults({ root }: SchemaSource, value: unknown): unknown {
  return defaulted(value, root);
}

function defaulted(value: unknown, schema: Schema | undefined): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) return defaultItems(value, schema.items);
  return isObject(value) ? defaultFields(value, schema) : value;
}

function defaultItems(value: readonly unknown[], items: Schema | undefined): unknown {
  if (items === undefined) return value;
  const result = value.map((item) => defaulted(item === null ? insteadOfNull(items) : item, items));
  return result.every((item, index) => item === value[index]) ? value : result;
}

function defaultFields(value: Readonly<Record<string, unknown>>, schema: Schema): unknown {
  const { properties = {}, additionalProperties } = schema;
  let result: Record<string, unknown> | undefined;
  const set = (name: string, field: unknown): void => {
    if (field === own(value, name) && Object.hasOwn(value, name)) return;
    result ??= { ...value };
    put(result, name, field);
  };
  for (const [name, property] of Object.entries(properties)) {
    const isSet = Object.hasOwn(value, name);
    const field = own(value, name) ?? (isSet ? insteadOfNull(property) : defaultOf(property));
    if (field !== undefined) set(name, defaulted(field, property));
  }
  if (typeof additionalProperties !== 'object') return result ?? value;
  for (const [name, field] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) continue;
    set(name, defaulted(field ?? insteadOfNull(additionalProperties), additionalProperties));
  }
  return result ?? value;
}

function insteadOfNull(schema: Schema): unknown {
  return schema.nullable === true ? null : (defaultOf(schema) ?? null);
}

function defaultOf({ default: value }: Schema): unknown {
  return copyOf(value);
}
