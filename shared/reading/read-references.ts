import pMap from 'p-map';
import { isExpired, unlessNotFound } from '../cluster/cluster-errors.ts';
import { deepFreeze, present, weightOf } from '../json.ts';
import type { Reference } from '../kinds/reads.ts';
import { isInSelection, isReadable, maxSelected } from '../kinds/references/grants.ts';
import { groupResource, type KubeObject } from '../kubernetes.ts';
import { selectorText } from '../label-selector.ts';
import { readObjectOf, secretDataOf } from '../plan/observed/read-object.ts';
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
import { poolsOfNamespaces, poolsOfResource } from './read.ts';

const readsAtOnce = 4;

type Reads = Map<string, Found>;

/**
 * Reads the objects to which an area's resources refer, once for all resources. A few objects of a type are read by
 * name, many with one list. Lists each configured namespace by itself, unless a selector selects in all namespaces.
 *
 * Guarantees: a failed request affects only the references that it was sent for.
 * Caveats: if time or memory runs out for an object, the object and the selectors that match it have no result.
 * Reconciling the resource reads them again.
 */
export async function readReferences(
  run: Run,
  { namespaces }: Pick<Area, 'namespaces'>,
  references: readonly Reference[],
): Promise<Reads> {
  const everywhere = namespaces === undefined;
  const poolOf = poolsOfNamespaces();
  const distinct = new Map(references.map((one) => [keyOfReference(one), one]));
  const types = Map.groupBy(distinct.values(), ({ type }) => groupResource(type)).values();
  const groups = [...types].flatMap((some) =>
    everywhere || some.some(({ selector, namespace }) => selector && namespace === '')
      ? [some]
      : [...Map.groupBy(some, ({ namespace }) => namespace).values()],
  );
  const requests = groups.flatMap((some) =>
    some.length <= maxByName && some.every(({ selector }) => selector === undefined)
      ? some.map((one) => [one])
      : [some],
  );
  const find = (some: readonly Reference[]) => findReferences(run, some, { poolOf, everywhere });
  const reads: Reads = new Map();
  for (const [one, found] of (await Promise.all(requests.map(find))).flat())
    if (found !== undefined) reads.set(keyOfReference(one), found);
  return reads;
}

export async function readReferencesOf(run: Run, reads: Reads, references: readonly Reference[]) {
  const how = { poolOf: poolsOfResource(), everywhere: false };
  const readOne = async (reference: Reference): Promise<void> => {
    for (const [one, found] of await findReferences(run, [reference], how))
      reads.set(keyOfReference(one), found ?? unreadable(one, overBudget));
  };
  await pMap(references, readOne, { concurrency: readsAtOnce });
}

/** Returns none for an invalid spec or an error in the kind's code: the plan reports both. */
export function referencesOf({ kind, resource }: Subject): readonly Reference[] {
  try {
    const found = kind.references(resource);
    return 'invalid' in found ? [] : found;
  } catch {
    return [];
  }
}

export const readsFor = (references: readonly Reference[], found: ReadonlyMap<string, Found>) =>
  new Map(
    references.flatMap((one) => {
      const key = keyOfReference(one);
      const result = found.get(key);
      return result === undefined ? [] : [[key, result] as const];
    }),
  );

type ReadObject = SelectedRead | { readonly failure: FailedRequest } | undefined;

interface Reading {
  readonly poolOf: (namespace: string) => Pool;
  readonly everywhere: boolean;
}

function readObject(
  { limits }: Run,
  { type, isSource }: Reference,
  { live, poolOf }: Pick<Reading, 'poolOf'> & { readonly live: KubeObject },
): ReadObject {
  const { name, namespace = '', resourceVersion } = live.metadata;
  try {
    const object = readObjectOf(type, live, poolOf(namespace));
    const values = isSource ? secretDataOf(live) : undefined;
    // Counts the object once, because all resources that refer to it share it.
    return limits.memory.admit(namespace, weightOf(object) + (values?.weight ?? 0))
      ? { object: deepFreeze(object), namespace, name, resourceVersion, ...present({ values }) }
      : undefined;
  } catch (error) {
    if (error instanceof PostponedError) return undefined;
    const why = error instanceof UnreadableError ? error.message : String(error);
    return unreadable({ type, name }, why);
  }
}

type Named = Pick<Reference, 'type' | 'name'>;

const unreadable = (reference: Named, message: string) =>
  failed(reference, { reason: 'UnreadableObject', message, transient: false });

const failed = ({ type, name }: Named, failure: FailedRequest) => ({
  failure: { ...failure, message: `${type.kind} ${name} cannot be read: ${failure.message}` },
});

/** Parses each object once. If an object fails, so does each selector that matches it. */
async function findReferences(
  run: Run,
  references: readonly Reference[],
  { poolOf, everywhere }: Reading,
): Promise<readonly (readonly [Reference, Found | undefined])[]> {
  const [first, ...more] = references;
  if (first === undefined) return [];
  const { type, namespace } = first;
  const isWide = everywhere || references.some((one) => one.namespace === '');
  const selection = {
    namespace: isWide ? undefined : namespace,
    ...present({ selector: commonSelector(references) }),
  };
  const read = (one: Reference, live: KubeObject) => readObject(run, one, { live, poolOf });
  const gather = async () => {
    const { gathered, add } = gatheringOf(references, read);
    const isNamed = more.length === 0 && first.selector === undefined;
    const live = isNamed ? await run.cluster.get(type, first) : undefined;
    if (live !== undefined) add(live);
    if (!isNamed) await run.cluster.list(type, selection, add);
    return gathered;
  };
  try {
    const gathered = await gather().catch(unlessNotFound);
    return references.map((one) => [one, foundFor(one, gathered?.get(one) ?? [])]);
  } catch (error) {
    const failure = await explain(run, type, error);
    const transient = failure.transient === true || isExpired(error);
    return references.map((one) => [one, failed(one, { ...failure, transient })]);
  }
}

function commonSelector(references: readonly Reference[]): string | undefined {
  const strings = new Set(references.map(({ selector }) => selector && selectorText(selector)));
  const [text] = strings;
  return strings.size === 1 && text !== '' ? text : undefined;
}

/** Keeps one object more than `maxSelected`, to detect an excess. */
function gatheringOf(
  references: readonly Reference[],
  read: (reference: Reference, live: KubeObject) => ReadObject,
) {
  const byKey = Map.groupBy(references, ({ namespace, name, selector }) =>
    selector === undefined ? `${namespace}/${name}` : namespace,
  );
  const gathered = new Map(references.map((one): [Reference, ReadObject[]] => [one, []]));
  const isOpen = (one: Reference): boolean => (gathered.get(one)?.length ?? 0) <= maxSelected;
  const add = (live: KubeObject): void => {
    const { namespace = '', name } = live.metadata;
    const finders = [...new Set([`${namespace}/${name}`, namespace, ''])]
      .flatMap((place) => byKey.get(place) ?? [])
      .filter((one) => one.selector === undefined || isInSelection(one, live.metadata))
      .filter((one) => isOpen(one) && isReadable(one, live.metadata));
    const [first] = finders;
    if (first === undefined) return;
    const object = read(first, live);
    for (const finder of finders) gathered.get(finder)?.push(object);
  };
  return { gathered, add };
}

function foundFor(reference: Reference, all: readonly ReadObject[]): Found | undefined {
  if (reference.selector === undefined) return all.length === 0 ? {} : all[0];
  const tooMany = `it selects more than ${maxSelected} objects; narrow the selector`;
  if (all.length > maxSelected) return unreadable(reference, tooMany);
  const objects: SelectedRead[] = [];
  for (const one of all) {
    if (one === undefined || 'failure' in one) return one;
    objects.push(one);
  }
  return foundBySelector(reference, objects);
}
