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
import { keyOfReference, namespaceOf, type World } from '../plan/observed/world.ts';
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
 * Finds the resources that are affected by writes of children and of referenced objects:
 * - by an existing child: its controller;
 * - by a child that was deleted, is gone or has another controller: all resources that want a child of that name,
 *   because it may have been replaced, or other children may act on it. The end of a Job affects only its controller;
 * - by a referenced object: every resource that names it, or whose selector matches it, or may have matched it before it
 *   was deleted in the resource's namespace.
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
  const lists = changes.flatMap((one) => listsFor(one, namespaces));
  const wanting =
    lists.length > maxRequests
      ? changes.map(wholeKind)
      : await settled(lists.map((list) => listAffected(run, list)));
  return { requests: [...found.flatMap(({ requests }) => requests), ...wanting], errors };
}

interface Found {
  readonly child: ChildKey;
  readonly requests: readonly ReconcileRequest[];
  /** Undefined if the object is gone, or could not be read. */
  readonly labels?: Labels | undefined;
}

/** Few objects of a type are read by name, many by one list in each namespace. */
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

/** The API server accepts any text in an owner reference. */
function requestsForController(
  live: Pick<KubeObject, 'metadata'>,
  kinds: readonly Kind[],
  namespace: string,
): readonly ReconcileRequest[] {
  const { apiVersion, kind, name } = controllerOf(live) ?? {};
  if (typeof apiVersion !== 'string' || apiVersion.length > maxText || !isObjectName(name))
    return [];
  return kinds
    .filter((one) => one.kind === kind && apiVersion.startsWith(`${one.group}/`))
    .map((one) => requestIn(one, namespace, name));
}

/** No apiVersion of ours is longer. */
const maxText = 320;

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

interface ResourceList extends KindChanges {
  readonly namespace: string | undefined;
}

/** In the namespaces with changes, or everywhere if the kind reads changed objects from elsewhere. */
function listsFor(changes: KindChanges, namespaces: Area['namespaces']): readonly ResourceList[] {
  const { kind } = changes;
  if (changes.referred.some(({ type }) => readsElsewhere(kind, type)))
    return (namespaces ?? [undefined]).map((namespace) => ({ ...changes, namespace }));
  const placeOf = ({ namespace }: ChildKey): string => (isClusterScoped(kind) ? '' : namespace);
  const ownerless = Map.groupBy(changes.ownerless, placeOf);
  const referred = Map.groupBy(changes.referred, placeOf);
  return [...new Set([...ownerless.keys(), ...referred.keys()])].map((namespace) => ({
    kind,
    namespace,
    ownerless: ownerless.get(namespace) ?? [],
    referred: referred.get(namespace) ?? [],
  }));
}

const readsElsewhere = ({ reads }: Kind, type: ResourceType): boolean =>
  Object.values(reads).some((one) => one.from !== undefined && isSameType(one.type, type));

async function listAffected(run: Run, { kind, namespace, ...changes }: ResourceList) {
  const requests: ReconcileRequest[] = [];
  const namespaces = namespace === undefined ? undefined : [namespace];
  const ownerless = new Set(changes.ownerless.map(keyOfReference));
  const referred = new Map(changes.referred.map((one) => [keyOfReference(one), one]));
  await listResources(run, { namespaces }, kind, (resource) => {
    if (isAffected({ kind, resource }, ownerless, referred))
      requests.push(requestIn(kind, resource.namespace, resource.name));
  }).catch(unlessNotFound);
  return requests;
}

type Candidate = Pick<World, 'kind' | 'resource'>;
type Referred = ReadonlyMap<string, Labelled>;

function isAffected(one: Candidate, ownerless: ReadonlySet<string>, referred: Referred): boolean {
  try {
    if (referred.size > 0 && refersToAny(one, referred)) return true;
    return ownerless.size > 0 && wantsAny(one, ownerless);
  } catch {
    // The run of the resource reports that the kind's code throws.
    return true;
  }
}

function refersToAny({ kind, resource }: Candidate, objects: Referred): boolean {
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

/** Without its references, a kind may want other children, so the children in the status count, too. */
function wantsAny({ kind, resource }: Candidate, keys: ReadonlySet<string>): boolean {
  const isAmong = (child: ChildName): boolean =>
    keys.has(keyOfReference({ ...child, namespace: namespaceOf(resource, child) }));
  const recorded = kind.refersTo.length === 0 ? [] : (resource.status.children ?? []);
  const isRecorded = recorded.some((ref) => {
    const type = ownedType(kind, ref);
    return type !== undefined && isAmong({ ...ref, type });
  });
  if (isRecorded) return true;
  const desired = desiredBy(kind, resource)(resource);
  return !('invalid' in desired) && desired.some(isAmong);
}
