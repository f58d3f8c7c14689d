import { goPrint } from '../go/print.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { StrategicPatchError } from './patch-schema.ts';
import { directiveKey } from './strategic-directives.ts';

/** Returns the merge key of an item; without a merge key, the item cannot be merged. */
export function keyIn(item: JsonObject, mergeKey: string): unknown {
  if (Object.hasOwn(item, mergeKey)) return item[mergeKey];
  throw new StrategicPatchError(
    `map: ${goPrint(item)} does not contain declared merge key: ${mergeKey}`,
  );
}

function nameOf(item: unknown, mergeKey: string | undefined): unknown {
  return mergeKey !== undefined && isObject(item) ? keyIn(item, mergeKey) : item;
}

/** Returns the first index of each item, by its merge key or, in a list of scalars, by its value. */
export function positions(
  list: readonly unknown[],
  mergeKey: string | undefined,
): Map<unknown, number> {
  const found = new Map<unknown, number>();
  for (const [position, item] of list.entries()) {
    const name = nameOf(item, mergeKey);
    if (!found.has(name)) found.set(name, position);
  }
  return found;
}

interface Order {
  readonly order: readonly unknown[];
  readonly before: readonly unknown[];
  readonly mergeKey: string | undefined;
}

/**
 * Orders a merged list: items in `order` as given there, the others as before. If neither order decides, the
 * items in `order` come first.
 */
export function orderedBy(
  merged: readonly unknown[],
  { order, before, mergeKey }: Order,
): readonly unknown[] {
  const wanted = positions(order, mergeKey);
  const live = positions(before, mergeKey);
  const placeIn = (places: Map<unknown, number>, item: unknown): number =>
    places.get(nameOf(item, mergeKey)) ?? -1;
  const isNamed = (item: unknown): boolean => placeIn(wanted, item) >= 0;
  const named = merged.filter(isNamed).sort((a, b) => placeIn(wanted, a) - placeIn(wanted, b));
  const others = merged.filter((item) => !isNamed(item));
  const result: unknown[] = [];
  let [i, j] = [0, 0];
  while (i < others.length && j < named.length) {
    const [other, patched] = [placeIn(live, others[i]), placeIn(live, named[j])];
    const otherFirst = other >= 0 && patched >= 0 && other < patched;
    result.push(otherFirst ? others[i++] : named[j++]);
  }
  return [...result, ...others.slice(i), ...named.slice(j)];
}

/** Refuses changes whose items are not in the given order, or are in another sequence there. */
export function assertOrder(
  changes: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string | undefined,
): void {
  assertMaps(order, mergeKey);
  if (changes.length === 0 || order.length === 0) return;
  const isDirective = (item: unknown): boolean =>
    isObject(item) && Object.hasOwn(item, directiveKey);
  const waiting = changes
    .filter((item) => !isDirective(item))
    .map((item) => nameOf(item, mergeKey));
  let next = 0;
  for (const item of order) if (waiting[next] === nameOf(item, mergeKey)) next += 1;
  if (next >= waiting.length) return;
  throw new StrategicPatchError(
    `The order in patch list:\n${goPrint(changes)}\n doesn't match $setElementOrder list:\n${goPrint(order)}\n`,
  );
}

function assertMaps(order: readonly unknown[], mergeKey: string | undefined): void {
  if (mergeKey === undefined) return;
  const wrong = order.findIndex((item) => !isObject(item));
  if (wrong >= 0) throw new StrategicPatchError(`value for key ${wrong} is not a map`);
}
