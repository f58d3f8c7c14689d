import type { ChildKey } from '../audit/route.ts';
import { unlessNotFound } from '../cluster/cluster-errors.ts';
import type { ChildName } from '../kinds/child.ts';
import { desiredBy, type Kind, ownedType } from '../kinds/kind.ts';
import { isSelecting } from '../kinds/reads.ts';
import { isInSelection } from '../kinds/references/grants.ts';
import {
  groupResource,
  includesType,
  isClusterScoped,
  isSameType,
  type KubeObject,
  type ResourceType,
} from '../kubernetes.ts';
import type { Labels } from '../label-selector.ts';
import { controllerOf } from '../plan/observed/observed.ts';
import type { ObservedResource } from '../plan/observed/observed-resource.ts';
import { keyOfReference, namespaceOf } from '../plan/observed/world.ts';
import {
  isObjectName,
  maxByName,
  type ReconcileRequest,
  reconcileRequest,
} from '../reconcile-request.ts';
import type { Area } from '../run/area.ts';
import type { Run } from '../run/run.ts';
import { listResources } from './read.ts';

/** Maximum number of reads of written objects, and of lists of resources. Beyond it, selects whole kinds. */
const maxRequests = 64;

/**
 * Finds the resources that are affected by writes to children and referenced objects:
 * - by an existing child: its controller;
 * - by a child that was deleted, is gone or has another controller: all resources that want a child of that name,
 *   because it may have been replaced, or other children may act on it. The end of a Job affects only its controller;
 * - by a referenced object: every resource that names it, or whose selector matches it. If the object is gone, every
 *   selector for its type and namespace counts as matching.
 *
 * Guarantees: at most 64 requests for objects and 64 lists of resources. A failed request does not affect the others.
 */
export async function affectedBy(
  run: Run,
  { kinds, namespaces }: Omit<Area, 'name'>,
  { children, referred }: Readonly<Record<'children' | 'referred', readonly ChildKey[]>>,
): Promise<{ requests: readonly ReconcileRequest[]; errors: readonly unknown[] }> {
  const errors: unknown[] = [];
  const settled = async <T>(pending: readonly Promise<readonly T[]>[]): Promise<readonly T[]> => {
    const results = await Promise.allSettled(pending);
    for (const one of results) if (one.status === 'rejected') errors.push(one.reason);
    return results.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
  const selectable = referred.filter(({ type }) => kinds.some((kind) => isSelecting(kind, type)));
  const [ofChildren, ofSelectable] = [requestGroups(children), requestGroups(selectable)];
  if (ofChildren.length + ofSelectable.length > maxRequests)
    return { requests: affected(kinds, { ownerless: children, referred }).map(wholeKind), errors };
  const find = (group: readonly ChildKey[]) => findAll(run, kinds, group);
  const selected = await settled(ofSelectable.map(find));
  const labels = new Map(selected.map((one) => [one.child, one.labels]));
  const found = await settled(ofChildren.map(find));
  const ownerless = found
    .filter(({ child, requests }) => child.deleted === true || requests.length === 0)
    .flatMap(({ child }) => (child.ended ? [] : [child]));
  const labelled = referred.map((one) => ({ ...one, labels: labels.get(one) }));
  const changes = affected(kinds, { ownerless, referred: labelled });
  const lists = changes.flatMap((one) =>
    placesOf(one, namespaces).map((place) => () => listAffected(run, one, place)),
  );
  const wanting =
    lists.length > maxRequests
      ? changes.map(wholeKind)
      : await settled(lists.map((list) => list()));
  return { requests: [...found.flatMap(({ requests }) => requests), ...wanting], errors };
}

interface Found {
  readonly child: ChildKey;
  readonly requests: readonly ReconcileRequest[];
  /** Undefined if the object is gone, or could not be read. */
  readonly labels?: Labels | undefined;
}

/** A few objects of a type are read by name, many with one list in each namespace. */
const requestGroups = (objects: readonly ChildKey[]): (readonly ChildKey[])[] =>
  [...Map.groupBy(objects, ({ type }) => groupResource(type)).values()].flatMap((ofType) =>
    ofType.length <= maxByName
      ? ofType.map((one) => [one])
      : [...Map.groupBy(ofType, ({ namespace }) => namespace).values()],
  );

async function findAll({ cluster }: Run, kinds: readonly Kind[], group: readonly ChildKey[]) {
  const [first, ...more] = group;
  if (first === undefined) return [];
  const { type, namespace } = first;
  const names = new Set(group.map(({ name }) => name));
  const found = new Map<string, Omit<Found, 'child'>>();
  const keep = (live: Pick<KubeObject, 'metadata'>): void => {
    const { name, labels = {} } = live.metadata;
    if (names.has(name))
      found.set(name, { requests: requestsForController(live, kinds, namespace), labels });
  };
  if (more.length === 0) {
    const metadata = await cluster.getMetadata(type, first);
    if (metadata !== undefined) keep({ metadata });
  } else await cluster.list(type, { namespace, metadataOnly: true }, keep);
  return group.map((child) => ({ child, ...(found.get(child.name) ?? { requests: [] }) }));
}

function requestsForController(
  live: Pick<KubeObject, 'metadata'>,
  kinds: readonly Kind[],
  namespace: string,
): readonly ReconcileRequest[] {
  const { apiVersion, kind, name } = controllerOf(live) ?? {};
  // Ignores an illegal name, which the API server accepts in an owner reference.
  if (!isObjectName(name)) return [];
  return kinds
    .filter((one) => one.kind === kind && apiVersion?.startsWith(`${one.group}/`))
    .map((one) => requestIn(one, namespace, name));
}

const requestIn = (kind: Kind, namespace: string, name: string): ReconcileRequest =>
  reconcileRequest(groupResource(kind), isClusterScoped(kind) ? undefined : namespace, name);

type Labelled = ChildKey & Pick<Found, 'labels'>;

interface Changes {
  readonly ownerless: readonly ChildKey[];
  readonly referred: readonly Labelled[];
}

interface KindChanges extends Changes {
  readonly kind: Kind;
}

const affected = (kinds: readonly Kind[], { ownerless, referred }: Changes): KindChanges[] =>
  kinds
    .map((kind) => ({
      kind,
      ownerless: ownerless.filter(({ type }) => includesType(kind.owns, type)),
      referred: referred.filter(({ type }) => includesType(kind.refersTo, type)),
    }))
    .filter((one) => one.ownerless.length + one.referred.length > 0);

const wholeKind = ({ kind }: KindChanges): ReconcileRequest =>
  reconcileRequest(groupResource(kind));

/** Returns the namespaces with changes, or all if resources may read a changed object in another namespace. */
function placesOf(
  { kind, ownerless, referred }: KindChanges,
  all: Area['namespaces'],
): readonly (string | undefined)[] {
  if (referred.some(({ type }) => readsElsewhere(kind, type))) return all ?? [undefined];
  const places = [...ownerless, ...referred].map(({ namespace }) => namespace);
  return isClusterScoped(kind) ? [''] : [...new Set(places)];
}

const readsElsewhere = ({ reads }: Kind, type: ResourceType): boolean =>
  Object.values(reads).some((one) => one.from !== undefined && isSameType(one.type, type));

async function listAffected(
  run: Run,
  { kind, ownerless, referred }: KindChanges,
  namespace: string | undefined,
) {
  const requests: ReconcileRequest[] = [];
  const namespaces = namespace === undefined ? undefined : [namespace];
  const isHere = (one: ChildKey): boolean =>
    !namespace || one.namespace === namespace || readsElsewhere(kind, one.type);
  const children = new Set(ownerless.filter(isHere).map(keyOfReference));
  const objects = new Map(referred.filter(isHere).map((one) => [keyOfReference(one), one]));
  const isAffected = (resource: ObservedResource): boolean => {
    try {
      if (objects.size > 0 && refersToAny(kind, resource, objects)) return true;
      return children.size > 0 && wantsAny(kind, resource, children);
    } catch {
      // Selects the resource, so that its run reports the error in the kind's code.
      return true;
    }
  };
  await listResources(run, { namespaces }, kind, (resource) => {
    if (isAffected(resource)) requests.push(requestIn(kind, resource.namespace, resource.name));
  }).catch(unlessNotFound);
  return requests;
}

function refersToAny(
  kind: Kind,
  resource: ObservedResource,
  objects: ReadonlyMap<string, Labelled>,
): boolean {
  const references = kind.references(resource);
  if ('invalid' in references) return false;
  return references.some(({ reader: _, ...one }) => {
    if (one.selector === undefined) return objects.has(keyOfReference(one));
    const ofType = objects.values().filter(({ type }) => isSameType(one.type, type));
    return ofType.some((object) =>
      object.labels === undefined
        ? [one.namespace, resource.namespace].includes(object.namespace)
        : isInSelection(one, object),
    );
  });
}

/** Also looks in the status, because without referenced objects and the time a kind may return fewer children. */
function wantsAny(kind: Kind, resource: ObservedResource, keys: ReadonlySet<string>): boolean {
  const isAmong = (child: ChildName): boolean =>
    keys.has(keyOfReference({ ...child, namespace: namespaceOf(resource, child) }));
  const isRecorded = resource.status.children?.some((ref) => {
    const type = ownedType(kind, ref);
    return type !== undefined && isAmong({ ...ref, type });
  });
  if (isRecorded) return true;
  const desired = desiredBy(kind, resource)(resource);
  return !('invalid' in desired) && desired.some(isAmong);
}
