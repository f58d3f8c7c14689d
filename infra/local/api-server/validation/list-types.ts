import { duplicate, type FieldError, invalid } from '../errors/field-error.ts';
import { own } from '../json/own.ts';
import { sortedJsonText } from '../json/text.ts';
import { isObject } from '../json/value.ts';
import type { Schema } from '../schema/schema.ts';

/** Finds duplicate items in lists of type set and map, anywhere below a value. */
export function checkListTypes(value: unknown, schema: Schema, path: string): FieldError[] {
  if (Array.isArray(value)) return checkList(value, schema, path);
  if (!isObject(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  return Object.entries(value).flatMap(([name, field]) => {
    const property = own(properties, name);
    if (property !== undefined) {
      return checkListTypes(field, property, path === '' ? name : `${path}.${name}`);
    }
    if (typeof additionalProperties !== 'object') return [];
    return checkListTypes(field, additionalProperties, `${path}[${name}]`);
  });
}

function checkList(list: readonly unknown[], schema: Schema, path: string): FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  const wrong =
    type === 'set' ? duplicates(list, path) : type === 'map' ? checkMap(list, schema, path) : [];
  const { items } = schema;
  if (items === undefined) return wrong;
  const below = list.flatMap((item, index) => checkListTypes(item, items, `${path}[${index}]`));
  return [...wrong, ...below];
}

function checkMap(list: readonly unknown[], schema: Schema, path: string): FieldError[] {
  const wrong = list.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [invalid(`${path}[${wrong}]`, list[wrong], detail)];
  }
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  return duplicates(
    list.map((item) => keysOf(isObject(item) ? item : {}, names)),
    path,
  );
}

function keysOf(item: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  const keys = names.filter((name) => Object.hasOwn(item, name)).sort();
  return Object.fromEntries(keys.map((name) => [name, item[name]]));
}

/** Reports the second of equal items, but no further ones. */
function duplicates(items: readonly unknown[], path: string): FieldError[] {
  const seen = new Map<string, number>();
  return items.flatMap((item, index) => {
    const text = sortedJsonText(item);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2 ? [duplicate(`${path}[${index}]`, item)] : [];
  });
}
