import pMap from 'p-map';
import type { Reference } from '../kinds/reads.ts';
import { groupResource } from '../kubernetes.ts';
import { type Found, keyOfReference, type Subject } from '../plan/observed/world.ts';
import { maxByName } from '../reconcile-request.ts';
import type { Area } from '../run/area.ts';
import { overBudget } from '../run/memory-budget.ts';
import type { Run } from '../run/run.ts';
import { findReferences, objectReader, unreadableReference } from './find-references.ts';
import { poolsOfNamespaces } from './listing.ts';
import { poolsOfResource } from './read.ts';

const readsAtOnce = 4;

type Reads = Map<string, Found>;

/**
 * Reads what the resources of an area refer to, once for all of them.
 *
 * Flow: for each type and namespace, up to eight objects are read by name. More objects, and those of
 * selectors, are taken from one list. A type that is selected in all namespaces takes a single list.
 * Guarantees: a failure is recorded as the result for the objects that it concerns, and affects no other.
 * Caveats: if time or memory runs out for an object, neither it nor a selector that matches it has a result. Both
 * are read again in the resource's turn.
 */
export async function readReferences(
  run: Run,
  { namespaces }: Pick<Area, 'namespaces'>,
  references: readonly Reference[],
): Promise<Reads> {
  const read = objectReader(run, poolsOfNamespaces());
  const distinct = new Map(references.map((one) => [keyOfReference(one), one]));
  const types = Map.groupBy(distinct.values(), ({ type }) => groupResource(type)).values();
  const groups = [...types].flatMap((some) => {
    const isWide =
      namespaces === undefined || some.some((one) => one.selector && one.namespace === '');
    return isWide ? [some] : [...Map.groupBy(some, ({ namespace }) => namespace).values()];
  });
  const isNamed = (some: readonly Reference[]): boolean =>
    some.length <= maxByName && some.every(({ selector }) => selector === undefined);
  const requests = groups.flatMap((some) => (isNamed(some) ? some.map((one) => [one]) : [some]));
  const everywhere = namespaces === undefined;
  const find = (some: readonly Reference[]) => findReferences(run, some, { read, everywhere });
  const reads: Reads = new Map();
  for (const [one, found] of (await Promise.all(requests.map(find))).flat())
    if (found !== 'no room') reads.set(keyOfReference(one), found);
  return reads;
}

/** Reads what one resource refers to: objects by name, and one list for each selector. */
export async function readReferencesOf(
  run: Run,
  reads: Reads,
  references: readonly Reference[],
): Promise<void> {
  const read = objectReader(run, poolsOfResource());
  const readOne = async (reference: Reference): Promise<void> => {
    for (const [one, found] of await findReferences(run, [reference], {
      read,
      everywhere: false,
    })) {
      const noRoom = unreadableReference(one, overBudget);
      reads.set(keyOfReference(one), found === 'no room' ? noRoom : found);
    }
  };
  await pMap(references, readOne, { concurrency: readsAtOnce });
}

/** Returns what a resource refers to; nothing if its spec is invalid or its kind throws, which its plan reports. */
export function referencesOf({ kind, resource }: Subject): readonly Reference[] {
  try {
    const found = kind.references(resource);
    return 'invalid' in found ? [] : found;
  } catch {
    return [];
  }
}

/** Returns only the results for these references. */
export const readsFor = (
  references: readonly Reference[],
  found: ReadonlyMap<string, Found>,
): Reads =>
  new Map(
    references.flatMap((one) => {
      const key = keyOfReference(one);
      const result = found.get(key);
      return result === undefined ? [] : [[key, result] as const];
    }),
  );
