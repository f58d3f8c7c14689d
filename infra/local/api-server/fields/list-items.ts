import { own, put } from '../json/own.ts';
import { isObject } from '../json/value.ts';
import type { ListType, MergeType } from './merge-type.ts';
import { keyElement, type PathElement, valueElement } from './path-element.ts';

export type Form = 'map' | 'scalar' | 'list';

/** Returns the form in which a value merges; absent and null have the first form of the type. */
export function formOf(type: MergeType, value: unknown): Form {
  if (value !== undefined && value !== null) {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list';
    } else if (typeof value === 'object') {
      if (type.map !== undefined) return 'map';
    } else if (type.scalar !== undefined) {
      return 'scalar';
    }
  }
  if (type.map !== undefined) return 'map';
  return type.scalar === undefined ? 'list' : 'scalar';
}

/** Explains why an item has no path element in an associative list. */
export interface Unnameable {
  readonly problem: string;
}

/** Returns the path element of an item in an associative list: its keys, or its value in a set. */
export function itemElement(list: ListType, item: unknown): PathElement | Unnameable {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: ListType, item: unknown): PathElement | Unnameable {
  if (item === null) return { problem: 'associative list with keys may not have a null element' };
  if (!isObject(item)) {
    return { problem: 'associative list with keys may not have non-map elements' };
  }
  const keys: Record<string, unknown> = {};
  let named = false;
  for (const key of list.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : own(list.keyDefaults, key);
    if (value === undefined) continue;
    put(keys, key, value);
    named = true;
  }
  if (named) return keyElement(keys);
  const names = list.keys.map((key) => JSON.stringify(key)).join(' ');
  return {
    problem: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}

function setElement(item: unknown): PathElement | Unnameable {
  if (Array.isArray(item)) {
    return { problem: 'not supported: associative list with lists as elements' };
  }
  if (item === null) {
    return { problem: "associative list without keys has an element that's an explicit null" };
  }
  if (typeof item === 'object') {
    return { problem: "associative list without keys has an element that's a map type" };
  }
  return valueElement(item);
}

export interface NamedItem {
  readonly element: PathElement;
  readonly item: unknown;
}

/** Returns the items that have a path element, in the order of the list. */
export function nameItems(list: ListType, items: readonly unknown[]): NamedItem[] {
  const named: NamedItem[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    if (typeof element === 'string') named.push({ element, item });
  }
  return named;
}

/** Groups the items by path element; duplicates share one. */
export function groupItems(items: readonly NamedItem[]): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const { element, item } of items) {
    const same = groups.get(element);
    if (same === undefined) groups.set(element, [item]);
    else same.push(item);
  }
  return groups;
}
