import { stackSafe } from '../json/stack-safe.ts';
import { isEmptyObject, isObject } from '../json/value.ts';
import { type FieldSet, leaf, noFields, self, sorted } from './field-set.ts';
import { formOf, groupItems, nameItems } from './list-items.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { fieldElement, type PathElement } from './path-element.ts';

/** Returns every field of an object: the fields that an apply of it would own. */
export function fieldsOf(value: unknown, type: MergeType): FieldSet {
  return nodeFields(value, type, false) ?? noFields;
}

/** Returns the node of a value; undefined if the value names no field. `member` makes the node itself a member. */
const nodeFields = stackSafe(
  (value: unknown, type: MergeType, member: boolean): FieldSet | undefined => {
    switch (formOf(type, value)) {
      case 'scalar':
        return leaf;
      case 'list':
        return type.list === undefined ? undefined : listFields(value, type.list, member);
      default:
        return type.map === undefined ? undefined : mapFields(value, type.map, member);
    }
  },
  undefined,
);

type Children = Record<PathElement, FieldSet>;

function listFields(value: unknown, list: ListType, member: boolean): FieldSet | undefined {
  const alone = member ? leaf : undefined;
  if (list.atomic) return leaf;
  if (!Array.isArray(value)) return alone;
  const groups = groupItems(nameItems(list, value));
  if (groups.size === 0) return alone;
  const children: Children = member ? { [self]: leaf } : {};
  for (const [element, items] of groups) {
    // Duplicates are one field, because their parts cannot be told apart.
    const node = items.length > 1 ? leaf : nodeFields(items[0], list.element, true);
    children[element] = node ?? leaf;
  }
  return sorted(children);
}

function mapFields(value: unknown, map: MapType, member: boolean): FieldSet | undefined {
  const alone = member ? leaf : undefined;
  if (map.atomic) return leaf;
  if (!isObject(value)) return alone;
  const children: Children = member ? { [self]: leaf } : {};
  let isAlone = true;
  for (const name of Object.keys(value).sort()) {
    const child = value[name];
    const field = map.fields.get(name);
    const type = field ?? map.element;
    if (type === undefined) continue;
    const owned = field === undefined || child === null || isEmptyMap(child);
    const node = nodeFields(child, type, owned);
    if (node === undefined) continue;
    children[fieldElement(name)] = node;
    isAlone = false;
  }
  return isAlone ? alone : children;
}

function isEmptyMap(value: unknown): boolean {
  return isObject(value) && isEmptyObject(value);
}
