import type { ChildKey } from '../audit/route.ts';
import type { Kind } from '../kinds/kind.ts';
import { isSelecting } from '../kinds/reads.ts';
import { groupResource, type KubeObject, type OwnerReference } from '../kubernetes.ts';
import type { Labels } from '../label-selector.ts';
import { controllerOf } from '../plan/observed/observed.ts';
import { isObjectName, maxByName, type ReconcileRequest } from '../reconcile-request.ts';
import type { Area } from '../run/area.ts';
import type { Run } from '../run/run.ts';
import { type Lookup, listsOfConcerned, requestIn, wholeKinds } from './concerned.ts';

/** Limit of requests to find children, and of lists to find owners. Beyond it, whole kinds are selected. */
const maxRequests = 64;

export interface Owners {
  readonly requests: readonly ReconcileRequest[];
  readonly errors: readonly unknown[];
}

/** The objects that a delivery's entries wrote: children, and objects that resources refer to. */
export interface WrittenObjects {
  readonly children: readonly ChildKey[];
  readonly referred: readonly ChildKey[];
}

/**
 * Finds the resources that are affected by writes of children, and of objects that resources refer to.
 *
 * Flow:
 * - A child that exists affects its controller, if that is of one of our kinds.
 * - Any other child (deleted, gone, or with another controller) affects every resource that wants a child of
 *   that name, in its namespace or cluster-scoped. The child may have been replaced or have lost its owner
 *   reference, and other children may act on the object of that name.
 * - A referenced object affects every resource that names it, or whose selector matches it or once did.
 *
 * Guarantees: at most 64 reads or lists of metadata, and 64 lists of resources, however many children there
 * are. A failed lookup affects no other.
 */
export async function ownersOf(
  run: Run,
  area: Omit<Area, 'name'>,
  { children, referred }: WrittenObjects,
): Promise<Owners> {
  const { kinds } = area;
  const errors: unknown[] = [];
  const all = async <T>(lookups: readonly Lookup<T>[]): Promise<readonly T[]> => {
    const settled = await Promise.allSettled(lookups.map((lookup) => lookup(run)));
    for (const one of settled) if (one.status === 'rejected') errors.push(one.reason);
    return settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
  const reads = lookups(children);
  const byLabels = referred.filter(({ type }) => kinds.some((kind) => isSelecting(kind, type)));
  const ofLabels = lookups(byLabels);
  if (reads.length + ofLabels.length > maxRequests)
    return { requests: wholeKinds(kinds, { lost: children, referred }), errors };
  const labels = new Map((await all(ofLabels)).map((one) => [one.child, one.labels]));
  const owned = (await all(reads)).map((one) => ({ ...one, requests: ownerOf(kinds, one) }));
  const requests = owned.flatMap((one) => one.requests);
  const lost = owned
    .filter(({ child, requests }) => child.deleted === true || requests.length === 0)
    .flatMap(({ child }) => (child.ended ? [] : [child]));
  const gone = { lost, referred: referred.map((one) => ({ ...one, labels: labels.get(one) })) };
  const lists = listsOfConcerned(area, gone);
  const wanting = lists.length > maxRequests ? wholeKinds(kinds, gone) : await all(lists);
  return { requests: [...requests, ...wanting], errors };
}

type Owner = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>;

/** An object's controller and labels; both are undefined if it is gone. */
interface Found {
  readonly child: ChildKey;
  readonly owner?: Owner | undefined;
  readonly labels?: Labels | undefined;
}

/** Returns lookups: a few children of a type are read by name, many from one list for each namespace. */
function lookups(children: readonly ChildKey[]): readonly Lookup<Found>[] {
  const byType = [...Map.groupBy(children, ({ type }) => groupResource(type)).values()];
  const groups = byType.flatMap((ofType) =>
    ofType.length <= maxByName
      ? ofType.map((child) => [child])
      : [...Map.groupBy(ofType, ({ namespace }) => namespace).values()],
  );
  return groups.map((some) => (run) => findAll(run, some));
}

async function findAll({ cluster }: Run, children: readonly ChildKey[]): Promise<readonly Found[]> {
  const [first, ...more] = children;
  if (first === undefined) return [];
  const { type, namespace } = first;
  const names = new Set(children.map(({ name }) => name));
  const found = new Map<string, Omit<Found, 'child'>>();
  const keep = ({ metadata }: Pick<KubeObject, 'metadata'>): void => {
    const { name, labels } = metadata;
    if (names.has(name)) found.set(name, { owner: ownerIn({ metadata }), labels });
  };
  if (more.length === 0) {
    const metadata = await cluster.getMetadata(type, first);
    if (metadata !== undefined) keep({ metadata });
  } else await cluster.list(type, { namespace, metadataOnly: true }, keep);
  return children.map((child) => ({ child, ...found.get(child.name) }));
}

/** Returns an object's controller. Ignores implausible ones: the API server accepts any text as an owner's name. */
function ownerIn(live: Pick<KubeObject, 'metadata'>): Owner | undefined {
  const { apiVersion, kind, name } = controllerOf(live) ?? {};
  const isType = [apiVersion, kind].every(
    (text) => typeof text === 'string' && text.length <= maxText,
  );
  return isType && isObjectName(name) ? ({ apiVersion, kind, name } as Owner) : undefined;
}

/** Limit of an apiVersion or kind in characters; none of ours is longer. */
const maxText = 320;

function ownerOf(kinds: readonly Kind[], { child, owner }: Found): readonly ReconcileRequest[] {
  if (owner === undefined) return [];
  const { apiVersion, kind, name } = owner;
  return kinds
    .filter((one) => one.kind === kind && apiVersion.startsWith(`${one.group}/`))
    .map((one) => requestIn(one, child.namespace, name));
}
