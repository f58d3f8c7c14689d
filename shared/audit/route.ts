import { present } from '../json.ts';
import {
  groupResource,
  isClusterScoped,
  isSameType,
  type ResourceType,
  type TypeName,
} from '../kubernetes.ts';
import { parseRequest, type ReconcileRequest, reconcileRequest } from '../reconcile-request.ts';
import { countsForReaders, dropReason, type FilterOptions, isEnd } from './filter.ts';
import type { AuditRecord, Dropped } from './record.ts';

export interface ChildKey {
  readonly type: ResourceType;
  /** Empty if cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  /** Set for a deletion, after which another object may have this name. */
  readonly deleted?: true;
  /** Set for a status write of a Job. It may report the Job's end, which matters only to the owner. */
  readonly ended?: true;
}

export type Route =
  | {
      readonly requests: readonly ReconcileRequest[];
      readonly child?: ChildKey;
      readonly referred?: ChildKey;
    }
  | Dropped;

/** A write without a name (generateName, deletecollection) concerns every kind that owns or reads the type. */
export function routeOf(record: AuditRecord, options: FilterOptions): Route {
  const reason = dropReason(record, options);
  if (reason !== undefined) return { dropped: reason };
  const { kinds } = options;
  const readersOnly = countsForReaders(record, options);
  const isWritten = (type: TypeName): boolean => isSameType(type, record);
  const owners = readersOnly ? [] : kinds.filter(({ owns }) => owns.some(isWritten));
  const readers = kinds.filter(({ refersTo }) => refersTo.some(isWritten));
  const ofType = kinds.filter(isWritten);
  const owned = owners.flatMap(({ owns }) => owns);
  const type = [...owned, ...readers.flatMap(({ refersTo }) => refersTo)].find(isWritten);
  const hasNoNamespace = [...ofType, ...(type === undefined ? [] : [type])].some(isClusterScoped);
  // Ignores the namespace of a cluster-scoped object, because an entry about a Namespace has its own name there.
  const namespace = hasNoNamespace ? undefined : record.namespace;
  const name = hasNoNamespace || namespace !== undefined ? record.name : undefined;
  const legal = parseRequest(reconcileRequest(record.plural, namespace, name));
  if (typeof legal === 'string') return { dropped: legal };

  const written = readersOnly ? [] : ofType;
  const resources = written.map((kind) => reconcileRequest(groupResource(kind), namespace, name));
  if (type === undefined) return { requests: resources };
  if (name !== undefined) {
    const deleted = record.verb === 'delete' || undefined;
    const ended = isEnd(record) || undefined;
    const object = { type, namespace: namespace ?? '', name, ...present({ deleted, ended }) };
    const child = owners.length === 0 ? undefined : object;
    const referred = readers.length === 0 ? undefined : object;
    return { requests: resources, ...present({ child, referred }) };
  }
  const all = [...new Set([...owners, ...readers])].map((kind) =>
    reconcileRequest(groupResource(kind), isClusterScoped(kind) ? undefined : namespace),
  );
  return { requests: [...resources, ...all] };
}
