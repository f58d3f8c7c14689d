import pMap from 'p-map';
import { unlessNotFound } from '../cluster/cluster-errors.ts';
import { deepFreeze, present, weightOf } from '../json.ts';
import type { Reference } from '../kinds/reads.ts';
import { isGranted, isInSelection, maxSelected } from '../kinds/references/grants.ts';
import { groupResource, type KubeObject } from '../kubernetes.ts';
import { selectorText } from '../label-selector.ts';
import { readObjectOf, SecretData } from '../plan/observed/read-object.ts';
import { type Pool, PostponedError, UnreadableError } from '../plan/observed/unreadable.ts';
import {
  type FailedRequest,
  type Found,
  foundBySelector,
  keyOfReference,
  type SelectedRead,
  type Subject,
} from '../plan/observed/world.ts';
import { maxByName } from '../reconcile-request.ts';
import type { Area } from '../run/area.ts';
import { explain } from '../run/explain.ts';
import { overBudget } from '../run/memory-budget.ts';
import type { Run } from '../run/run.ts';
import { poolsOfNamespaces, retryExpired } from './listing.ts';
import { poolsOfResource } from './read.ts';

const readsAtOnce = 4;

type Reads = Map<string, Found>;

/**
 * Reads what the resources of an area refer to, once for all of them.
 *
 * Flow: for each type and namespace, up to eight objects are read by name. More objects, and those of selectors,
 * are taken from one list. A type that is selected in all namespaces takes a single list.
 * Guarantees: a failure is the result only for the objects that it concerns.
 * Caveats: an object for which time or memory runs out has no result, and neither has a selector that matches it.
 * Both are read again in the resource's turn.
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

/** A reference and its object. `no room`: time or memory ran out before the object was read. */
export type FoundReference = readonly [Reference, Found | 'no room'];

type ReadObject = SelectedRead | { readonly failure: FailedRequest } | 'no room';

export type ObjectReader = (reference: Reference, live: KubeObject) => ReadObject;

/** Returns a function that reduces referenced objects to what kinds may use. */
export const objectReader =
  ({ limits }: Run, poolOf: (namespace: string) => Pool): ObjectReader =>
  ({ type, isSource }, live) => {
    const { name, namespace = '', resourceVersion } = live.metadata;
    try {
      const object = readObjectOf(type, live, poolOf(namespace));
      const values = isSource ? new SecretData(live) : undefined;
      // Freezes the object, because all resources that refer to it share it.
      return limits.memory.admit(namespace, weightOf(object) + (values?.weight ?? 0))
        ? { object: deepFreeze(object), namespace, name, resourceVersion, ...present({ values }) }
        : 'no room';
    } catch (error) {
      if (error instanceof PostponedError) return 'no room';
      const why = error instanceof UnreadableError ? error.message : String(error);
      return unreadableReference({ type, name }, why);
    }
  };

type Named = Pick<Reference, 'type' | 'name'>;

export const unreadableReference = (reference: Named, message: string) =>
  failedReference(reference, { reason: 'UnreadableObject', message, transient: false });

export const failedReference = ({ type, name }: Named, failure: FailedRequest) => ({
  failure: { ...failure, message: `${type.kind} ${name} cannot be read: ${failure.message}` },
});

/**
 * Reads the objects of references of one type by one request: a single one by name, others by a list.
 *
 * Guarantees: parses each object once, however many references find it. If an object that a selector matches
 * cannot be read, the whole selector fails with that error. A failed request is the result for all references.
 */
export async function findReferences(
  run: Run,
  references: readonly Reference[],
  { read, everywhere }: { readonly read: ObjectReader; readonly everywhere: boolean },
): Promise<readonly FoundReference[]> {
  const [first, ...more] = references;
  if (first === undefined) return [];
  const { type, namespace } = first;
  const isWide = everywhere || references.some((one) => one.namespace === '');
  const selection = {
    namespace: isWide ? undefined : namespace,
    ...present({ selector: commonSelector(references) }),
  };
  const gather = async (): Promise<Gathering> => {
    const gathering = openGathering(references, read);
    if (more.length === 0 && first.selector === undefined)
      gathering.add(await run.cluster.get(type, first));
    else await run.cluster.list(type, selection, gathering.add);
    return gathering;
  };
  try {
    const found = await retryExpired(gather).catch(unlessNotFound);
    return references.map((one) => [one, (found ?? openGathering(references, read)).foundFor(one)]);
  } catch (error) {
    const failure = await explain(run, type, error);
    return references.map((one) => [one, failedReference(one, failure)]);
  }
}

/** Returns the selector that all references have in common; undefined if they differ or name objects. */
function commonSelector(references: readonly Reference[]): string | undefined {
  const strings = new Set(references.map(({ selector }) => selector && selectorText(selector)));
  const [text] = strings;
  return strings.size === 1 && text !== '' ? text : undefined;
}

interface Gathering {
  readonly add: (live: KubeObject | undefined) => void;
  readonly foundFor: (reference: Reference) => Found | 'no room';
}

/** For a selector, keeps one object more than the limit, to show that the limit is exceeded. */
function openGathering(references: readonly Reference[], read: ObjectReader): Gathering {
  const byKey = Map.groupBy(references, ({ namespace, name, selector }) =>
    selector === undefined ? `${namespace}/${name}` : namespace,
  );
  const gathered = new Map(references.map((one): [Reference, ReadObject[]] => [one, []]));
  const isOpen = (one: Reference): boolean => (gathered.get(one)?.length ?? 0) <= maxSelected;
  return {
    add(live) {
      if (live === undefined) return;
      const { namespace = '', name } = live.metadata;
      const finders = [...new Set([`${namespace}/${name}`, namespace, ''])]
        .flatMap((place) => byKey.get(place) ?? [])
        .filter((one) => one.selector === undefined || isInSelection(one, live.metadata))
        .filter((one) => isOpen(one) && isGranted(one, live.metadata));
      const [first] = finders;
      if (first === undefined) return;
      const object = read(first, live);
      for (const finder of finders) gathered.get(finder)?.push(object);
    },
    foundFor(reference) {
      const all = gathered.get(reference) ?? [];
      return reference.selector === undefined ? (all[0] ?? {}) : selectedBy(reference, all);
    },
  };
}

function selectedBy(reference: Reference, all: readonly ReadObject[]): Found | 'no room' {
  const tooMany = `it selects more than ${maxSelected} objects; narrow the selector`;
  if (all.length > maxSelected) return unreadableReference(reference, tooMany);
  const objects: SelectedRead[] = [];
  for (const one of all) {
    if (one === 'no room' || 'failure' in one) return one;
    objects.push(one);
  }
  return foundBySelector(reference, objects);
}
