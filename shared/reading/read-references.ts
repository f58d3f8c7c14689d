import pMap from 'p-map';
import { unlessNotFound } from '../cluster/cluster-errors.ts';
import { deepFreeze, weightOf } from '../json.ts';
import type { Reference } from '../kinds/reads.ts';
import { groupResource, type KubeObject } from '../kubernetes.ts';
import { readObjectOf } from '../plan/observed/read-object.ts';
import { type Pool, PostponedError, UnreadableError } from '../plan/observed/unreadable.ts';
import { type Found, keyOfReference, type Subject } from '../plan/observed/world.ts';
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
 * Flow: for each type and namespace of the area, few objects are read by name; more are taken from one
 * list.
 * Guarantees: at most eight requests, or a list, for each type and namespace of the area. A failure is
 * recorded as the answer for the objects that it concerns, and affects no other.
 * Caveats: an object for which time or memory runs out has no answer. It is read by name when the resource
 * has its turn.
 */
export async function readReferences(
  run: Run,
  { namespaces }: Pick<Area, 'namespaces'>,
  references: readonly Reference[],
): Promise<Reads> {
  const reads: Reads = new Map();
  const poolOf = poolsOfNamespaces();
  const distinct = new Map(references.map((one) => [keyOfReference(one), one]));
  const groupOf = ({ type, namespace }: Reference): string =>
    `${groupResource(type)} ${namespaces === undefined ? '' : namespace}`;
  const keep = (reference: Reference, live: KubeObject): void => {
    const found = foundIn(run, reference, live, poolOf(reference.namespace));
    if (found !== 'no room') reads.set(keyOfReference(reference), found);
  };
  const groups = [...Map.groupBy(distinct.values(), groupOf).values()];
  await Promise.all(
    groups.map((some) =>
      some.length <= maxByName
        ? Promise.all(some.map((one) => readOne(run, one, { reads, keep })))
        : listSome(run, some, { reads, keep, everywhere: namespaces === undefined }),
    ),
  );
  return reads;
}

/** Reads what one resource refers to, by name. */
export async function readReferencesOf(
  run: Run,
  reads: Reads,
  references: readonly Reference[],
): Promise<void> {
  const poolOf = poolsOfResource();
  const keep = (reference: Reference, live: KubeObject): void => {
    const found = foundIn(run, reference, live, poolOf(reference.namespace));
    const noRoom = unreadable(reference, overBudget);
    reads.set(keyOfReference(reference), found === 'no room' ? noRoom : found);
  };
  await pMap(references, (one) => readOne(run, one, { reads, keep }), { concurrency: readsAtOnce });
}

/**
 * Returns what a resource refers to. Returns nothing if its spec is invalid or the kind's own code throws,
 * which its plan reports.
 */
export function referencesOf({ kind, resource }: Subject): readonly Reference[] {
  try {
    const found = kind.references(resource);
    return 'invalid' in found ? [] : found;
  } catch {
    return [];
  }
}

/** Selects the answers for these references. */
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

interface Sink {
  readonly reads: Reads;
  readonly keep: (reference: Reference, live: KubeObject) => void;
}

async function readOne(run: Run, reference: Reference, { reads, keep }: Sink): Promise<void> {
  const key = keyOfReference(reference);
  try {
    const live = await run.cluster.get(reference.type, reference);
    if (live === undefined) reads.set(key, {});
    else keep(reference, live);
  } catch (error) {
    reads.set(key, await failedWith(run, reference, error));
  }
}

/** Keeps objects of one type from a list of their namespace, or of all namespaces. */
async function listSome(
  run: Run,
  references: readonly Reference[],
  { reads, keep, everywhere }: Sink & { readonly everywhere: boolean },
): Promise<void> {
  const [first] = references;
  if (first === undefined) return;
  const { type } = first;
  const wanted = new Map(references.map((one) => [`${one.namespace}/${one.name}`, one]));
  const namespace = everywhere ? undefined : first.namespace;
  const list = async (): Promise<ReadonlySet<Reference>> => {
    const seen = new Set<Reference>();
    await run.cluster.list(type, { namespace }, (live) => {
      const reference = wanted.get(`${live.metadata.namespace ?? ''}/${live.metadata.name}`);
      if (reference === undefined) return;
      seen.add(reference);
      keep(reference, live);
    });
    return seen;
  };
  const none: ReadonlySet<Reference> = new Set();
  try {
    const seen = (await retryExpired(list).catch(unlessNotFound)) ?? none;
    for (const one of references) if (!seen.has(one)) reads.set(keyOfReference(one), {});
  } catch (error) {
    for (const one of references) reads.set(keyOfReference(one), await failedWith(run, one, error));
  }
}

function foundIn(
  { limits }: Run,
  reference: Reference,
  live: KubeObject,
  pool: Pool,
): Found | 'no room' {
  try {
    const object = readObjectOf(reference.type, live, pool);
    const { resourceVersion } = live.metadata;
    const { namespace } = reference;
    const isKept = limits.memory.admit(namespace, weightOf(object));
    // Frozen, because all resources that refer to it share it.
    return isKept ? { object: deepFreeze(object), namespace, resourceVersion } : 'no room';
  } catch (error) {
    if (error instanceof PostponedError) return 'no room';
    return unreadable(reference, error instanceof UnreadableError ? error.message : String(error));
  }
}

const unreadable = ({ type, name }: Reference, why: string): Found => ({
  failure: {
    reason: 'UnreadableObject',
    message: `${type.kind} ${name} cannot be read: ${why}`,
    transient: false,
  },
});

async function failedWith(run: Run, { type, name }: Reference, error: unknown): Promise<Found> {
  const failure = await explain(run, type, error);
  return {
    failure: { ...failure, message: `${type.kind} ${name} cannot be read: ${failure.message}` },
  };
}
