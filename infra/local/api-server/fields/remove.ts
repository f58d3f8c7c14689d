import { put } from '../json/own.ts';
import { stackSafe } from '../json/stack-safe.ts';
import { isEmptyObject, isObject } from '../json/value.ts';
import { type FieldSet, isEmpty, isMember, leaf, nodeOf, noFields } from './field-set.ts';
import { formOf, itemElement } from './list-items.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { fieldElement, isField, type PathElement } from './path-element.ts';

/** Removes the members of the set from a value; returns null if nothing is left. */
export const removeFields = stackSafe((value: unknown, set: FieldSet, type: MergeType): unknown => {
  switch (formOf(type, value)) {
    case 'scalar':
      return value;
    case 'list':
      return type.list === undefined ? null : removeItems(value, set, type.list);
    default:
      return type.map === undefined ? null : removeEntries(value, set, type.map);
  }
}, null);

function removeItems(value: unknown, set: FieldSet, list: ListType): unknown {
  if (list.atomic || !Array.isArray(value)) return null;
  const kept = value.flatMap((item) => {
    const element = itemElement(list, item);
    const node = typeof element === 'string' ? set[element] : undefined;
    if (node === undefined) return [item];
    return isMember(node) ? [] : [removeFields(item, node, list.element)];
  });
  return kept.length === 0 ? null : kept;
}

function removeEntries(value: unknown, set: FieldSet, map: MapType): unknown {
  if (map.atomic || !isObject(value)) return null;
  const kept: Record<string, unknown> = {};
  for (const name in value) {
    const node = set[fieldElement(name)];
    const type = map.fields.get(name) ?? map.element;
    if (node === undefined || type === undefined) put(kept, name, value[name]);
    else if (!isMember(node)) put(kept, name, removeFields(value[name], node, type));
  }
  return isEmptyObject(kept) ? null : kept;
}

/** Adds every declared field on the path to a member as a member. */
export function withNamedFields(set: FieldSet, type: MergeType | undefined): FieldSet {
  const result: Record<PathElement, FieldSet> = {};
  for (const element in set) {
    const node = set[element] ?? leaf;
    const named = isField(element) && type?.map?.fields.has(element.slice(2)) === true;
    result[element] = isEmpty(node) ? leaf : namedNode(node, named, childType(type, element));
  }
  return result;
}

const namedNode = stackSafe(
  (node: FieldSet, named: boolean, type: MergeType | undefined): FieldSet => {
    return nodeOf(named || isMember(node), withNamedFields(node, type)) ?? noFields;
  },
  noFields,
);

/** Returns the type of the values at a path element, if the schema has one. */
export function childType(
  type: MergeType | undefined,
  element: PathElement,
): MergeType | undefined {
  if (isField(element)) return type?.map?.fields.get(element.slice(2)) ?? type?.map?.element;
  return element.startsWith('k:') ? type?.list?.element : undefined;
}
