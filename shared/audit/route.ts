import { present } from '../json.ts';
import {
  groupResource,
  includesType,
  isClusterScoped,
  isSameType,
  type ResourceType,
  type TypeName,
} from '../kubernetes.ts';
import { parseRequest, type ReconcileRequest, reconcileRequest } from '../reconcile-request.ts';
import { isEnd } from './filter.ts';
import type { AuditRecord, Dropped } from './record.ts';

export interface AuditedKind extends Pick<ResourceType, 'group' | 'plural' | 'kind' | 'scope'> {
  readonly owns: readonly ResourceType[];
  readonly refersTo: readonly ResourceType[];
}

/** A child whose owner is still to be found. */
export interface ChildKey {
  readonly type: ResourceType;
  /** Empty if the child is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  /** True if the entry deleted the child: an object that has this name now is another one. */
  readonly deleted?: true;
  /** True if the entry may be the end of a Job, which concerns only its owner. */
  readonly ended?: true;
}

/** The resources, child and referenced object that a record concerns. One object may be all three. */
export type Route =
  | {
      readonly requests: readonly ReconcileRequest[];
      readonly child?: ChildKey;
      readonly referred?: ChildKey;
    }
  | Dropped;

/**
 * Routes a record: a write of a resource to a reconcile request, any other write to the child or referenced object
 * of that name. A write without a name (generateName, deletecollection) is routed to every resource that it may
 * concern: those in its namespace, and cluster-scoped ones. With `readersOnly`, only resources that refer to the
 * object are concerned.
 */
export function routeOf(
  record: AuditRecord,
  kinds: readonly AuditedKind[],
  { readersOnly = false }: { readonly readersOnly?: boolean } = {},
): Route {
  const isWritten = (type: TypeName): boolean => isSameType(type, record);
  const concerned = readersOnly ? [] : kinds;
  const owners = concerned.filter((kind) => includesType(kind.owns, record));
  const readers = kinds.filter((kind) => includesType(kind.refersTo, record));
  const ofType = kinds.filter(isWritten);
  const known = [
    ...owners.flatMap(({ owns }) => owns),
    ...readers.flatMap(({ refersTo }) => refersTo),
  ];
  const type = known.find(isWritten);
  const hasNoNamespace = [...ofType, ...(type === undefined ? [] : [type])].some(isClusterScoped);
  // Drops the namespace of an entry about a Namespace, which is the Namespace's own name.
  const namespace = hasNoNamespace ? undefined : record.namespace;
  const name = hasNoNamespace || namespace !== undefined ? record.name : undefined;
  const legal = parseRequest(reconcileRequest(record.plural, namespace, name));
  if (typeof legal === 'string') return { dropped: legal };

  const written = readersOnly ? [] : ofType;
  const resources = written.map((kind) => reconcileRequest(groupResource(kind), namespace, name));
  if (type === undefined)
    return resources.length === 0 ? { dropped: 'another type' } : { requests: resources };
  if (name !== undefined) {
    const deleted = record.verb === 'delete' || undefined;
    const ended = isEnd(record) || undefined;
    const object = { type, namespace: namespace ?? '', name, ...present({ deleted, ended }) };
    const child = owners.length === 0 ? undefined : object;
    const referred = readers.length === 0 ? undefined : object;
    return { requests: resources, ...present({ child, referred }) };
  }
  const selected = [...new Set([...owners, ...readers])];
  return { requests: [...resources, ...selected.map((kind) => requestWithin(kind, namespace))] };
}

/** Selects the resources of a kind that may have children in a namespace. */
const requestWithin = (kind: AuditedKind, namespace: string | undefined): ReconcileRequest =>
  reconcileRequest(groupResource(kind), isClusterScoped(kind) ? undefined : namespace);
