import { stackSafe } from '../json/stack-safe.ts';
import { isEmptyObject, isObject } from '../json/value.ts';
import { canonicalElement, inOrder, type PathElement } from './path-element.ts';

/**
 * A set of field paths in the form of `fieldsV1`: a tree of path elements. Below the root, a node without
 * children is a member. A node with children is a member if it contains `.`.
 *
 * Guarantees: values are immutable, and results share unchanged branches with the arguments. Elements are in
 * the server's order, so managedFields can hold a set as it is.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** The empty set as a root; below the root, a member without children. */
export const leaf: FieldSet = Object.freeze({});
export const noFields: FieldSet = leaf;

/** The element that makes a node with children a member. */
export const self = '.';

export function isEmpty(set: FieldSet): boolean {
  return isEmptyObject(set);
}

export function isMember(node: FieldSet): boolean {
  return self in node || isEmptyObject(node);
}

/** Builds the set of the given paths; a parent is a member only if it is given, too. */
export function fieldSet(...paths: readonly (readonly PathElement[])[]): FieldSet {
  return paths.reduce<FieldSet>((set, path) => {
    const branch = path.reduceRight<FieldSet>((child, element) => ({ [element]: child }), leaf);
    return union(set, branch);
  }, noFields);
}

/** Builds a node from its children, which may itself be a member; undefined if it would be empty. */
export function nodeOf(member: boolean, children: FieldSet | undefined): FieldSet | undefined {
  if (children === undefined || isEmptyObject(children)) return member ? leaf : undefined;
  return member ? { [self]: leaf, ...children } : children;
}

/** Sorts children by their elements, in the server's order. */
export function sorted(children: Record<PathElement, FieldSet>): FieldSet {
  const elements = Object.keys(children);
  const ordered = inOrder(elements);
  if (ordered === elements) return children;
  const result: Record<PathElement, FieldSet> = {};
  for (const element of ordered) result[element] = children[element] ?? leaf;
  return result;
}

/** What is in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptyObject(b)) return a;
  if (isEmptyObject(a)) return b;
  const result: Record<PathElement, FieldSet> = { ...a };
  let changed = false;
  for (const element in b) {
    const mine = a[element];
    const theirs = b[element] ?? leaf;
    const both = mine === undefined ? theirs : unionNodes(mine, theirs);
    if (both === mine) continue;
    result[element] = both;
    changed = true;
  }
  return changed ? sorted(result) : a;
}

/** Returns the union of sets. Joins them in pairs, so that many small sets do not copy one large set many times. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  let left = sets;
  while (left.length > 1) {
    const pairs: FieldSet[] = [];
    for (let at = 0; at < left.length; at += 2) {
      pairs.push(union(left[at] ?? noFields, left[at + 1] ?? noFields));
    }
    left = pairs;
  }
  return left[0] ?? noFields;
}

const unionNodes = stackSafe((a: FieldSet, b: FieldSet): FieldSet => {
  if (a === b) return a;
  if (isEmptyObject(a)) return isMember(b) ? b : { [self]: leaf, ...b };
  if (isEmptyObject(b)) return isMember(a) ? a : { [self]: leaf, ...a };
  return union(a, b);
}, leaf);

/** What is in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return intersectChildren(a, b) ?? noFields;
}

const intersectChildren = stackSafe((a: FieldSet, b: FieldSet): FieldSet | undefined => {
  if (a === b) return a;
  const result: Record<PathElement, FieldSet> = {};
  for (const element in a) {
    const mine = a[element];
    const theirs = b[element];
    if (element === self || mine === undefined || theirs === undefined) continue;
    const both = nodeOf(isMember(mine) && isMember(theirs), intersectChildren(mine, theirs));
    if (both !== undefined) result[element] = both;
  }
  return isEmptyObject(result) ? undefined : result;
}, undefined);

/** Returns the members of `a` that are not members of `b`; parents and children of a member of `b` stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** Returns the members of `a` that are neither members of `b` nor below a member. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  if (isEmptyObject(b)) return a;
  const result: Record<PathElement, FieldSet> = {};
  let changed = false;
  for (const element in a) {
    const mine = a[element] ?? leaf;
    const theirs = element === self ? undefined : b[element];
    const rest = theirs === undefined ? mine : subtractNodes(mine, theirs, recursive);
    if (rest !== undefined) result[element] = rest;
    if (rest !== mine) changed = true;
  }
  return changed ? result : a;
}

const subtractNodes = stackSafe(
  (a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined => {
    const taken = isMember(b);
    if (taken && recursive) return undefined;
    const children = withoutSelf(subtract(a, b, recursive));
    return nodeOf(isMember(a) && !taken, children);
  },
  undefined,
);

function withoutSelf(node: FieldSet): FieldSet {
  if (!(self in node)) return node;
  const { [self]: _, ...children } = node;
  return children;
}

/** Returns the members without members below them. */
export const leaves = stackSafe((set: FieldSet): FieldSet => {
  const result: Record<PathElement, FieldSet> = {};
  for (const [element, node] of Object.entries(set)) {
    if (element !== self) result[element] = isEmptyObject(node) ? leaf : leaves(node);
  }
  return result;
}, leaf);

export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  const node = path.reduce<FieldSet | undefined>((at, element) => at?.[element], set);
  return node !== undefined && path.length > 0 && isMember(node);
}

/** Parses a `fieldsV1`; ignores elements of unknown type, throws on malformed elements. */
export function parseFieldSet(fields: unknown): FieldSet {
  if (!isObject(fields)) return noFields;
  const result: Record<PathElement, FieldSet> = {};
  for (const [key, child] of Object.entries(fields)) {
    const element = key === self ? self : canonicalElement(key);
    if (element !== undefined) result[element] = parseNode(child);
  }
  return withoutSelf(sorted(result));
}

const parseNode = stackSafe((fields: unknown): FieldSet => {
  const children = parseFieldSet(fields);
  return nodeOf(isObject(fields) && self in fields, children) ?? leaf;
}, leaf);
