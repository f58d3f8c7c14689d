import {
  groupResource,
  includesType,
  isClusterScoped,
  isSameType,
  type ResourceType,
  type TypeName,
} from '../kubernetes.ts';
import { parseRequest, type ReconcileRequest, reconcileRequest } from '../reconcile-request.ts';
import type { AuditRecord, Dropped } from './record.ts';

/** What routing and filtering need of a kind. */
export interface AuditedKind extends Pick<ResourceType, 'group' | 'plural' | 'kind' | 'scope'> {
  readonly owns: readonly ResourceType[];
  /** Types of objects that resources refer to. */
  readonly refersTo: readonly ResourceType[];
}

/** A child whose owner has not been looked up yet. */
export interface ChildKey {
  readonly type: ResourceType;
  /** Empty for a cluster-scoped one. */
  readonly namespace: string;
  readonly name: string;
  /** The child was deleted, so an object of this name that exists now is a different one. */
  readonly deleted?: true;
}

/**
 * The resources, the child, and the object that resources refer to, that a record concerns; one object
 * may be all of them.
 */
export type Route =
  | {
      readonly requests: readonly ReconcileRequest[];
      readonly child?: ChildKey;
      readonly referred?: ChildKey;
    }
  | Dropped;

/**
 * Routes a record to a request for the written resource, or to a child or referred object by name. A write
 * without a name (generateName, deletecollection) is routed to every resource that it may concern: in its
 * namespace, or cluster-scoped. With `readersOnly` it concerns only those that refer to the object.
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
  const known = [...owners.flatMap(({ owns }) => owns), ...readers.flatMap((one) => one.refersTo)];
  const type = known.find(isWritten);
  const hasNoNamespace = [...ofType, ...(type === undefined ? [] : [type])].some(isClusterScoped);
  // An entry about a Namespace has its name as namespace.
  const namespace = hasNoNamespace ? undefined : record.namespace;
  const name = hasNoNamespace || namespace !== undefined ? record.name : undefined;
  const legal = parseRequest(reconcileRequest(record.plural, namespace, name));
  if (typeof legal === 'string') return { dropped: legal };

  const written = readersOnly ? [] : ofType;
  const resources = written.map((kind) => reconcileRequest(groupResource(kind), namespace, name));
  if (type === undefined)
    return resources.length === 0 ? { dropped: 'another type' } : { requests: resources };
  if (name !== undefined) {
    const object = { type, namespace: namespace ?? '', name, ...deletion(record) };
    return {
      requests: resources,
      ...(owners.length === 0 ? {} : { child: object }),
      ...(readers.length === 0 ? {} : { referred: object }),
    };
  }
  const selected = [...new Set([...owners, ...readers])];
  return { requests: [...resources, ...selected.map((kind) => requestWithin(kind, namespace))] };
}

/** The resources of a kind that may have children in a namespace. */
const requestWithin = (kind: AuditedKind, namespace: string | undefined): ReconcileRequest =>
  reconcileRequest(groupResource(kind), isClusterScoped(kind) ? undefined : namespace);

const deletion = ({ verb }: AuditRecord): Pick<ChildKey, 'deleted'> =>
  verb === 'delete' ? { deleted: true } : {};
