import pMap from 'p-map';
import type { Reference } from '../kinds/reads.ts';
import { isGranted } from '../kinds/references/grants.ts';
import { groupResource } from '../kubernetes.ts';
import { type Found, keyOfReference, type Subject } from '../plan/observed/world.ts';
import { maxByName } from '../reconcile-request.ts';
import type { Area } from '../run/area.ts';
import { overBudget } from '../run/memory-budget.ts';
import type { Run } from '../run/run.ts';
import { listReferences } from './list-references.ts';
import { poolsOfNamespaces } from './listing.ts';
import { poolsOfResource } from './read.ts';
import { openSink, type Sink, unreadableReference } from './reference-sink.ts';

const readsAtOnce = 4;

type Reads = Map<string, Found>;

/**
 * Reads what the resources of an area refer to, once for all of them.
 *
 * Flow: for each type and namespace, up to eight objects are read by name. More objects, and those of
 * selectors, are taken from one list. A type that is selected in all namespaces takes a single list.
 * Guarantees: a failure is recorded as the answer for the objects that it concerns, and affects no other.
 * Caveats: if time or memory runs out for an object, it has no answer, nor has a selector that matches it. It
 * is read again in the resource's turn.
 */
export async function readReferences(
  run: Run,
  { namespaces }: Pick<Area, 'namespaces'>,
  references: readonly Reference[],
): Promise<Reads> {
  const reads: Reads = new Map();
  const sink = openSink(run, poolsOfNamespaces(), (reference, found) => {
    if (found !== 'no room') reads.set(keyOfReference(reference), found);
  });
  const distinct = new Map(references.map((one) => [keyOfReference(one), one]));
  const types = Map.groupBy(distinct.values(), ({ type }) => groupResource(type)).values();
  const groups = [...types].flatMap((some) => {
    const isWide =
      namespaces === undefined || some.some((one) => one.selector && one.namespace === '');
    return isWide ? [some] : [...Map.groupBy(some, ({ namespace }) => namespace).values()];
  });
  await Promise.all(
    groups.map((some) =>
      some.length > maxByName || some.some(({ selector }) => selector !== undefined)
        ? listReferences(run, some, { ...sink, everywhere: namespaces === undefined })
        : Promise.all(some.map((one) => readOne(run, one, sink))),
    ),
  );
  return reads;
}

/** Reads what one resource refers to: objects by name, and one list for each selector. */
export async function readReferencesOf(
  run: Run,
  reads: Reads,
  references: readonly Reference[],
): Promise<void> {
  const sink = openSink(run, poolsOfResource(), (reference, found) => {
    const noRoom = unreadableReference(reference, overBudget);
    reads.set(keyOfReference(reference), found === 'no room' ? noRoom : found);
  });
  const readAny = (one: Reference): Promise<void> =>
    one.selector === undefined
      ? readOne(run, one, sink)
      : listReferences(run, [one], { ...sink, everywhere: false });
  await pMap(references, readAny, { concurrency: readsAtOnce });
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

/** Returns only the answers to these references. */
export const answersFor = (
  references: readonly Reference[],
  found: ReadonlyMap<string, Found>,
): Reads =>
  new Map(
    references.flatMap((one) => {
      const key = keyOfReference(one);
      const answer = found.get(key);
      return answer === undefined ? [] : [[key, answer] as const];
    }),
  );

async function readOne(
  run: Run,
  reference: Reference,
  { read, answer, fail }: Sink,
): Promise<void> {
  try {
    const live = await run.cluster.get(reference.type, reference);
    const isVisible = live !== undefined && isGranted(reference, live.metadata);
    answer(reference, isVisible ? read(reference, live) : {});
  } catch (error) {
    await fail(reference, error);
  }
}
