import { own } from '../json/own.ts';
import { stackSafe } from '../json/stack-safe.ts';
import { isEmptyObject, isObject, jsonEqual } from '../json/value.ts';
import { type FieldSet, leaf, nodeOf, noFields, recursiveDifference, sorted } from './field-set.ts';
import { type Form, formOf, groupItems, nameItems } from './list-items.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import { fieldElement, type PathElement } from './path-element.ts';

/** The fields in which two objects differ, in three disjoint sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export const noChange: Comparison = { added: noFields, modified: noFields, removed: noFields };

/** Compares an object before and after a write, without the fields that the resource resets. */
export function compareObjects(
  old: unknown,
  updated: unknown,
  type: MergeType,
  resetFields: FieldSet = noFields,
): Comparison {
  const { added, modified, removed } = compareValues(old, updated, type);
  const kept = (set: FieldSet | undefined): FieldSet =>
    set === undefined ? noFields : recursiveDifference(set, resetFields);
  return { added: kept(added), modified: kept(modified), removed: kept(removed) };
}

/** The differences at and below a value, as nodes; a missing set is empty. */
interface Differences {
  readonly added?: FieldSet;
  readonly modified?: FieldSet;
  readonly removed?: FieldSet;
}

const none: Differences = {};
const allAdded: Differences = { added: leaf };
const allModified: Differences = { modified: leaf };
const allRemoved: Differences = { removed: leaf };

/** Absent values are undefined. */
const compareValues = stackSafe((old: unknown, updated: unknown, type: MergeType): Differences => {
  if (old === updated) return none;
  const [before, after] = [formOf(type, old), formOf(type, updated)];
  if (updated === undefined) return compareAs(before, { old, updated, type });
  const differences = compareAs(after, { old, updated, type });
  if (old === undefined || before === after) return differences;
  // If a value changes its form (such as a map to a list), everything in the old value is removed.
  return { ...compareAs(before, { old, updated, type }), ...differences };
}, none);

interface Pair {
  readonly old: unknown;
  readonly updated: unknown;
  readonly type: MergeType;
}

function compareAs(form: Form, { old, updated, type }: Pair): Differences {
  if (form === 'list' && type.list !== undefined) return compareLists(old, updated, type.list);
  if (form === 'map' && type.map !== undefined) return compareMaps(old, updated, type.map);
  return compareLeaf(old, updated);
}

function compareLeaf(old: unknown, updated: unknown): Differences {
  if (old === undefined) return allAdded;
  if (updated === undefined) return allRemoved;
  return jsonEqual(old, updated) ? none : allModified;
}

function compareMaps(old: unknown, updated: unknown, map: MapType): Differences {
  const before = isObject(old) ? old : {};
  const after = isObject(updated) ? updated : {};
  const isLeaf = map.atomic || (isEmptyObject(before) && isEmptyObject(after));
  if (isLeaf) return compareLeaf(old, updated);
  const children = collector();
  const compareField = (name: string): void => {
    const type = map.fields.get(name) ?? map.element;
    if (type === undefined) return;
    children.add(fieldElement(name), compareValues(own(before, name), own(after, name), type));
  };
  for (const name in before) compareField(name);
  for (const name in after) if (!Object.hasOwn(before, name)) compareField(name);
  return children.differences(old === undefined, updated === undefined);
}

function compareLists(old: unknown, updated: unknown, list: ListType): Differences {
  const before: readonly unknown[] = Array.isArray(old) ? old : [];
  const after: readonly unknown[] = Array.isArray(updated) ? updated : [];
  const isLeaf = list.atomic || (before.length === 0 && after.length === 0);
  if (isLeaf) return compareLeaf(old, updated);
  const left = groupItems(nameItems(list, before));
  const right = groupItems(nameItems(list, after));
  const children = collector();
  for (const [element, items] of left) {
    children.add(element, compareItems(items, right.get(element) ?? [], list.element));
  }
  for (const [element, items] of right) {
    if (!left.has(element)) children.add(element, compareItems([], items, list.element));
  }
  return children.differences(old === undefined, updated === undefined);
}

/**
 * Compares the items of one path element. Several items of one element are one field, because their parts
 * cannot be told apart.
 */
function compareItems(
  old: readonly unknown[],
  updated: readonly unknown[],
  type: MergeType,
): Differences {
  if (old.length <= 1 && updated.length <= 1) return compareValues(old[0], updated[0], type);
  if (old.length > 1 && updated.length > 1) return jsonEqual(old, updated) ? none : allModified;
  if (old.length > 1) {
    const rest = updated.length === 0 ? none : compareValues(undefined, updated[0], type);
    return { ...rest, removed: leaf };
  }
  const rest = old.length === 0 ? none : compareValues(old[0], undefined, type);
  return { ...rest, added: leaf };
}

type Children = Record<PathElement, FieldSet>;

/** Combines the differences of children, by their path elements. */
function collector(): {
  add(element: PathElement, differences: Differences): void;
  differences(isAdded: boolean, isRemoved: boolean): Differences;
} {
  let [added, modified, removed]: (Children | undefined)[] = [];
  return {
    add(element, differences) {
      if (differences === none) return;
      added = withChild(added, element, differences.added);
      modified = withChild(modified, element, differences.modified);
      removed = withChild(removed, element, differences.removed);
    },
    differences(isAdded, isRemoved) {
      const nodes = {
        added: nodeOf(isAdded, added && sorted(added)),
        modified: modified && sorted(modified),
        removed: nodeOf(isRemoved, removed && sorted(removed)),
      };
      const present = Object.entries(nodes).filter(([, node]) => node !== undefined);
      return present.length === 0 ? none : Object.fromEntries(present);
    },
  };
}

function withChild(
  children: Children | undefined,
  element: PathElement,
  node: FieldSet | undefined,
): Children | undefined {
  if (node === undefined) return children;
  const result = children ?? {};
  result[element] = node;
  return result;
}
