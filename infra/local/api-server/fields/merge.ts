import { own, put } from '../json/own.ts';
import { stackSafe } from '../json/stack-safe.ts';
import { isEmptyObject, isObject, type JsonObject, jsonEqual } from '../json/value.ts';
import { formOf, groupItems, type NamedItem, nameItems } from './list-items.ts';
import type { ListType, MapType, MergeType } from './merge-type.ts';
import type { PathElement } from './path-element.ts';

/**
 * Merges the applied value into the live value; removes nothing.
 *
 * Guarantees: returns the live value itself if nothing changes. The result shares unchanged parts with the live value,
 * so do not modify either.
 */
export const mergeValues = stackSafe(
  (live: unknown, applied: unknown, type: MergeType): unknown => {
    if (applied === undefined || live === applied) return live;
    if (live === undefined) return applied;
    switch (formOf(type, applied)) {
      case 'scalar':
        return chooseApplied(live, applied);
      case 'list':
        return type.list === undefined ? applied : mergeLists(live, applied, type.list);
      default:
        return type.map === undefined ? applied : mergeMaps(live, applied, type.map);
    }
  },
  undefined,
);

function chooseApplied(live: unknown, applied: unknown): unknown {
  return jsonEqual(live, applied) ? live : applied;
}

function mergeMaps(live: unknown, applied: unknown, map: MapType): unknown {
  const before = isObject(live) ? live : {};
  const after = isObject(applied) ? applied : {};
  const isLeaf = map.atomic || (isEmptyObject(before) && isEmptyObject(after));
  if (isLeaf) return chooseApplied(live, applied);
  let result: Record<string, unknown> | undefined;
  for (const name in after) {
    const type = map.fields.get(name) ?? map.element;
    if (type === undefined) continue;
    const had = own(before, name);
    const merged = mergeValues(had, after[name], type);
    if (merged === had && Object.hasOwn(before, name)) continue;
    result ??= { ...before };
    put(result, name, merged);
  }
  return result ?? (before === live ? live : before);
}

function mergeLists(live: unknown, applied: unknown, list: ListType): unknown {
  const before: readonly unknown[] = Array.isArray(live) ? live : [];
  const after: readonly unknown[] = Array.isArray(applied) ? applied : [];
  const isLeaf = list.atomic || (before.length === 0 && after.length === 0);
  if (isLeaf) return chooseApplied(live, applied);
  const result = mergeItems(before, after, list);
  const unchanged =
    result.length === before.length && result.every((item, index) => item === before[index]);
  return unchanged && before === live ? live : result;
}

/**
 * Orders the items of both lists. Applied items keep their order; other live items stay in front of the next
 * item that both lists have.
 */
function mergeItems(
  live: readonly unknown[],
  applied: readonly unknown[],
  list: ListType,
): unknown[] {
  const left = nameItems(list, live);
  const right = nameItems(list, applied);
  const leftItems = groupItems(left);
  const rightItems = groupItems(right);
  const result: unknown[] = [];
  for (const element of mergeOrder(left, right)) {
    const [mine, theirs] = [leftItems.get(element) ?? [], rightItems.get(element)];
    if (theirs === undefined) {
      result.push(mine.shift());
    } else {
      // Does not merge duplicates in the live list; the applied item replaces them.
      const before = mine.length === 1 ? mine[0] : undefined;
      result.push(mergeValues(before, theirs[0], list.element));
    }
  }
  return result;
}

function mergeOrder(left: readonly NamedItem[], right: readonly NamedItem[]): PathElement[] {
  const inLeft = new Set(left.map(({ element }) => element));
  const inRight = new Set(right.map(({ element }) => element));
  const shared = right.map(({ element }) => element).filter((element) => inLeft.has(element));
  const taken = new Set<PathElement>();
  const order: PathElement[] = [];
  let [l, r, nextShared] = [0, 0, 0];
  while (l < left.length || r < right.length) {
    const mine = left[l]?.element;
    const theirs = right[r]?.element;
    if (mine !== undefined && mine !== theirs) {
      if (!inRight.has(mine)) {
        order.push(mine);
        l += 1;
        continue;
      }
      const isLater = nextShared < shared.length && shared[nextShared] !== mine;
      if (taken.has(mine) || (theirs !== undefined && isLater)) {
        l += 1;
        if (!taken.has(mine) || isLater) continue;
      }
    }
    if (theirs === undefined) continue;
    if (mine === theirs) l += 1;
    r += 1;
    taken.add(theirs);
    order.push(theirs);
    if (shared[nextShared] === theirs) nextShared += 1;
  }
  return order;
}

/** `mergeValues` for whole objects. */
export function mergeObjects(live: JsonObject, applied: JsonObject, type: MergeType): JsonObject {
  const merged = mergeValues(live, applied, type);
  return isObject(merged) ? merged : {};
}
