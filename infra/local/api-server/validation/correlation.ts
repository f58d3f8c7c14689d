import { own } from '../json/own.ts';
import { isObject, jsonEqual } from '../json/value.ts';
import type { Schema } from '../schema/schema.ts';

/** A new value, the old value that it replaces, and their schema. */
export interface Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: Schema;
}

/** Reports whether a value equals the old value; false for values that the schema does not describe. */
export function isValueUnchanged(pair: Correlation): boolean {
  const { value, old, schema } = pair;
  if (Array.isArray(value) && Array.isArray(old)) {
    if (value.length !== old.length) return false;
    if (schema['x-kubernetes-list-type'] !== 'map') return jsonEqual(value, old);
    return value.every((_, index) => isUnchangedChild(pair, index));
  }
  if (!isObject(value) || !isObject(old)) return value === old;
  const names = Object.keys(value);
  const isSameSize = names.length === Object.keys(old).length;
  return isSameSize && names.every((name) => isUnchangedChild(pair, name));
}

function isUnchangedChild(parent: Correlation, key: string | number): boolean {
  const child = childOf(parent, key);
  return child !== undefined && isValueUnchanged(child);
}

/**
 * Returns the field or item with the value that it replaces: fields by name, items of a list of type map by
 * their keys. Other items have no old value.
 */
export function childOf(
  parent: Correlation | undefined,
  key: string | number,
): Correlation | undefined {
  if (parent === undefined) return undefined;
  return typeof key === 'string' ? fieldOf(parent, key) : itemOf(parent, key);
}

function fieldOf({ value, old, schema }: Correlation, name: string): Correlation | undefined {
  if (!isObject(value) || !isObject(old)) return undefined;
  if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
  const { properties, additionalProperties } = schema;
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const child = own(properties, name) ?? rest;
  return child && { value: value[name], old: old[name], schema: child };
}

function itemOf({ value, old, schema }: Correlation, index: number): Correlation | undefined {
  if (!Array.isArray(value) || !Array.isArray(old) || schema.items === undefined) return undefined;
  if (schema['x-kubernetes-list-type'] !== 'map') return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const item: unknown = value[index];
  const before = old.find((one) => isObject(one) && isObject(item) && hasKeys(one, item, keys));
  return before === undefined ? undefined : { value: item, old: before, schema: schema.items };
}

type Fields = Readonly<Record<string, unknown>>;

function hasKeys(a: Fields, b: Fields, keys: readonly string[]): boolean {
  return keys.every((key) => jsonEqual(own(a, key), own(b, key)));
}
