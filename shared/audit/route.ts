import { groupResource, isClusterScoped, type ResourceType } from '../kubernetes.ts';
import { parseScope, type Scope, scopeOf } from '../scope.ts';
import type { AuditRecord, Dropped } from './record.ts';

/** What routing and filtering need of a kind. */
export interface AuditedKind extends Pick<ResourceType, 'group' | 'plural' | 'kind' | 'scope'> {
  readonly owns: readonly ResourceType[];
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

/** The resources, and the child, that a record concerns: a resource may be another one's child. */
export type Route = { readonly scopes: readonly Scope[]; readonly child?: ChildKey } | Dropped;

/**
 * Routes a record to the Scope of the written resource, or to a child by name. A write without a name
 * (generateName, deletecollection) is routed to every resource that it may concern: in its namespace, or
 * cluster-scoped.
 */
export function routeOf(record: AuditRecord, kinds: readonly AuditedKind[]): Route {
  const isWritten = (type: Pick<ResourceType, 'group' | 'plural'>): boolean =>
    type.group === record.group && type.plural === record.plural;
  const owners = kinds.filter((kind) => kind.owns.some(isWritten));
  const written = kinds.filter(isWritten);
  const type = owners.flatMap((kind) => kind.owns).find(isWritten);
  const isPlaceless = [...written, ...(type === undefined ? [] : [type])].some(isClusterScoped);
  // An entry about a Namespace has its name as namespace.
  const namespace = isPlaceless ? undefined : record.namespace;
  const name = isPlaceless || namespace !== undefined ? record.name : undefined;
  const legal = parseScope(scopeOf(record.plural, namespace, name));
  if (typeof legal === 'string') return { dropped: legal };

  const resources = written.map((kind) => scopeOf(groupResource(kind), namespace, name));
  if (type === undefined)
    return resources.length === 0 ? { dropped: 'another type' } : { scopes: resources };
  if (name !== undefined) {
    const child = { type, namespace: namespace ?? '', name, ...deletion(record) };
    return { scopes: resources, child };
  }
  const selected = owners.map((kind) => scopeWithin(kind, namespace));
  return { scopes: [...resources, ...selected] };
}

/** The resources of a kind that may have children in a namespace. */
const scopeWithin = (kind: AuditedKind, namespace: string | undefined): Scope =>
  scopeOf(groupResource(kind), isClusterScoped(kind) ? undefined : namespace);

const deletion = ({ verb }: AuditRecord): Pick<ChildKey, 'deleted'> =>
  verb === 'delete' ? { deleted: true } : {};
