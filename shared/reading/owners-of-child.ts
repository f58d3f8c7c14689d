import type { ChildKey } from '../audit/route.ts';
import { unlessNotFound } from '../cluster/cluster-errors.ts';
import { desiredBy, type Kind, ownedType } from '../kinds/kind.ts';
import {
  groupResource,
  includesType,
  isClusterScoped,
  type KubeObject,
  type OwnerReference,
} from '../kubernetes.ts';
import { controllerOf, type ObservedResource } from '../plan/observed/observed.ts';
import { keyOfReference, namespaceOf } from '../plan/observed/world.ts';
import {
  isObjectName,
  maxByName,
  type ReconcileRequest,
  reconcileRequest,
} from '../reconcile-request.ts';
import type { Run } from '../run/run.ts';
import { listResources } from './listing.ts';

/** Limit of requests to find children, and of lists to find owners. Beyond it whole kinds are selected. */
const maxRequests = 64;

export interface Owners {
  readonly requests: readonly ReconcileRequest[];
  /** The errors of failed lookups. */
  readonly errors: readonly unknown[];
}

/** The objects that the entries of a delivery wrote: children, and objects that resources refer to. */
export interface WrittenObjects {
  readonly children: readonly ChildKey[];
  readonly referred: readonly ChildKey[];
}

/**
 * Finds the resources that are affected by writes of children, and of objects that resources refer to.
 *
 * Flow: a child that exists affects its controller, if that is of one of our kinds. A child that was
 * deleted, is gone or has no such controller affects every resource that wants a child of that name, in its
 * namespace or cluster-scoped: the child may have been replaced or lost its owner reference, and the
 * resource's other children may act on the object of that name. A referenced object affects every resource
 * that refers to its name.
 * Guarantees: at most 64 reads or lists of metadata, and 64 lists of resources, however many children there
 * are. A failed lookup affects no other.
 */
export async function ownersOf(
  run: Run,
  kinds: readonly Kind[],
  { children, referred }: WrittenObjects,
): Promise<Owners> {
  const errors: unknown[] = [];
  const all = async <T>(lookups: readonly Lookup<T>[]): Promise<readonly T[]> => {
    const settled = await Promise.allSettled(lookups.map((lookup) => lookup(run)));
    for (const one of settled) if (one.status === 'rejected') errors.push(one.reason);
    return settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
  const reads = lookups(children);
  if (reads.length > maxRequests)
    return { requests: wholeKinds(kinds, { lost: children, referred }), errors };
  const owned = (await all(reads)).map((one) => ({ ...one, requests: ownerOf(kinds, one) }));
  const requests = owned.flatMap((one) => one.requests);
  const lost = owned
    .filter((one) => one.child.deleted === true || one.requests.length === 0)
    .map(({ child }) => child);
  const gone = { lost, referred };
  const lists = listsOfConcerned(kinds, gone);
  const wanting = lists.length > maxRequests ? wholeKinds(kinds, gone) : await all(lists);
  return { requests: [...requests, ...wanting], errors };
}

type Lookup<T> = (run: Run) => Promise<readonly T[]>;

/** Children with an unknown owner, and objects that resources refer to. */
interface Changes {
  readonly lost: readonly ChildKey[];
  readonly referred: readonly ChildKey[];
}

/** Selects the changes that may affect resources of a kind. */
const changesFor = ({ owns, refersTo }: Kind, { lost, referred }: Changes): Changes => ({
  lost: lost.filter(({ type }) => includesType(owns, type)),
  referred: referred.filter(({ type }) => includesType(refersTo, type)),
});

const isNone = ({ lost, referred }: Changes): boolean => lost.length + referred.length === 0;

const wholeKinds = (kinds: readonly Kind[], changes: Changes): readonly ReconcileRequest[] =>
  kinds
    .filter((kind) => !isNone(changesFor(kind, changes)))
    .map((kind) => reconcileRequest(groupResource(kind)));

function listsOfConcerned(
  kinds: readonly Kind[],
  changes: Changes,
): readonly Lookup<ReconcileRequest>[] {
  return kinds.flatMap((kind) => {
    const { lost, referred } = changesFor(kind, changes);
    const namespaceFor = ({ namespace }: ChildKey): string =>
      isClusterScoped(kind) ? '' : namespace;
    return [...new Set([...lost, ...referred].map(namespaceFor))].map((namespace) => {
      const isHere = (one: ChildKey): boolean => namespaceFor(one) === namespace;
      const here = { lost: lost.filter(isHere), referred: referred.filter(isHere) };
      return (run: Run) => listConcerned(run, namespace, { kind, changes: here });
    });
  });
}

type Owner = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>;

/** A child and its controller; undefined if it has none or is gone. */
interface Found {
  readonly child: ChildKey;
  readonly owner: Owner | undefined;
}

/** Reads few children of a type by name, many from one list for each namespace. */
function lookups(children: readonly ChildKey[]): readonly Lookup<Found>[] {
  const byType = [...Map.groupBy(children, ({ type }) => groupResource(type)).values()];
  return byType.flatMap((ofType) =>
    ofType.length <= maxByName
      ? ofType.map((child) => (run: Run) => readOne(run, child))
      : [...Map.groupBy(ofType, ({ namespace }) => namespace)].map(
          ([namespace, some]) =>
            (run: Run) =>
              listSome(run, namespace, some),
        ),
  );
}

async function readOne({ cluster }: Run, child: ChildKey): Promise<readonly Found[]> {
  const metadata = await cluster.getMetadata(child.type, child);
  return [{ child, owner: metadata && ownerIn({ metadata }) }];
}

/**
 * Returns the controller of an object. Ignores implausible fields, because the API server accepts any text
 * as the name of an owner.
 */
function ownerIn(live: Pick<KubeObject, 'metadata'>): Owner | undefined {
  const { apiVersion, kind, name } = controllerOf(live) ?? {};
  const isType = [apiVersion, kind].every(
    (text) => typeof text === 'string' && text.length <= maxText,
  );
  return isType && isObjectName(name) ? ({ apiVersion, kind, name } as Owner) : undefined;
}

/** Longer than any group or kind of ours. */
const maxText = 320;

/** Finds the controllers of children of one type in one namespace. */
async function listSome(
  { cluster }: Run,
  namespace: string,
  children: readonly ChildKey[],
): Promise<readonly Found[]> {
  const [first] = children;
  if (first === undefined) return [];
  const names = new Set(children.map(({ name }) => name));
  const owners = new Map<string, Owner | undefined>();
  await cluster.list(first.type, { namespace, metadataOnly: true }, (live) => {
    const { name } = live.metadata;
    if (names.has(name)) owners.set(name, ownerIn(live));
  });
  return children.map((child) => ({ child, owner: owners.get(child.name) }));
}

function ownerOf(kinds: readonly Kind[], { child, owner }: Found): readonly ReconcileRequest[] {
  if (owner === undefined) return [];
  const { apiVersion, kind, name } = owner;
  return kinds
    .filter((one) => one.kind === kind && apiVersion.startsWith(`${one.group}/`))
    .map((one) => requestIn(one, child.namespace, name));
}

/** Returns the reconcile request for the resource that owns or wants a child in a namespace. */
const requestIn = (kind: Kind, namespace: string, name: string): ReconcileRequest =>
  reconcileRequest(groupResource(kind), isClusterScoped(kind) ? undefined : namespace, name);

async function listConcerned(
  run: Run,
  namespace: string,
  { kind, changes }: { readonly kind: Kind; readonly changes: Changes },
): Promise<readonly ReconcileRequest[]> {
  const lost = new Set(changes.lost.map(keyOfReference));
  const referred = new Set(changes.referred.map(keyOfReference));
  const requests: ReconcileRequest[] = [];
  const keep = (resource: ObservedResource): void => {
    if (refersToAny(kind, resource, referred) || wantsAny(kind, resource, lost))
      requests.push(requestIn(kind, namespace, resource.name));
  };
  const area = { kinds: [kind], namespaces: [namespace], name: undefined };
  await listResources(run, area, kind, keep).catch(unlessNotFound);
  return requests;
}

function refersToAny(kind: Kind, resource: ObservedResource, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  try {
    const references = kind.references(resource);
    return !('invalid' in references) && references.some((one) => names.has(keyOfReference(one)));
  } catch {
    // See `wantsAny`.
    return true;
  }
}

/**
 * Reports whether a resource wants any of these children. If its children may depend on references, those
 * in `status.children` count as well.
 */
function wantsAny(kind: Kind, resource: ObservedResource, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  const known = kind.refersTo.length === 0 ? [] : (resource.status.children ?? []);
  const isKnown = known.some((ref) => {
    const type = ownedType(kind, ref);
    return (
      type !== undefined &&
      names.has(keyOfReference({ type, name: ref.name, namespace: namespaceOf(resource, ref) }))
    );
  });
  if (isKnown) return true;
  try {
    const desired = desiredBy(kind, resource)(resource);
    return (
      !('invalid' in desired) &&
      desired.some((child) =>
        names.has(keyOfReference({ ...child, namespace: namespaceOf(resource, child) })),
      )
    );
  } catch {
    // The kind's own code threw. It will throw in the resource's run too, which reports it.
    return true;
  }
}
