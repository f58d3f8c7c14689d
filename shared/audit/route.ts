import { groupResource, type ResourceType } from '../kubernetes.ts';
import { parseScope, type Scope, scopeOf } from '../scope.ts';
import type { AuditRecord, Dropped } from './record.ts';

/** What routing and filtering need of a kind. */
export interface AuditedKind extends Pick<ResourceType, 'group' | 'plural' | 'kind'> {
  readonly owns: readonly ResourceType[];
}

/** A child whose owner has not been looked up yet. */
export interface ChildKey {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** The child was deleted, so an object of this name that exists now is a different one. */
  readonly deleted?: true;
}

/** The resources, and the child, that a record concerns: a resource may be another one's child. */
export type Route = { readonly scopes: readonly Scope[]; readonly child?: ChildKey } | Dropped;

/**
 * Routes a record to the Scope of the written resource, or to a child by name. A write without a name
 * (generateName, deletecollection) is routed to every resource in its namespace that it may concern.
 */
export function routeOf(record: AuditRecord, kinds: readonly AuditedKind[]): Route {
  const { namespace, name } = record;
  const isWritten = (type: Pick<ResourceType, 'group' | 'plural'>): boolean =>
    type.group === record.group && type.plural === record.plural;
  const key = namespace === undefined ? undefined : name;
  const legal = parseScope(scopeOf(record.plural, namespace, key));
  if (typeof legal === 'string') return { dropped: legal };

  const resources = kinds
    .filter(isWritten)
    .map((kind) => scopeOf(groupResource(kind), namespace, key));
  const owners = kinds.filter((kind) => kind.owns.some(isWritten));
  const type = owners.flatMap((kind) => kind.owns).find(isWritten);
  if (type === undefined)
    return resources.length === 0 ? { dropped: 'another type' } : { scopes: resources };
  if (namespace !== undefined && key !== undefined)
    return { scopes: resources, child: { type, namespace, name: key, ...deletion(record) } };
  const selected = owners.map((kind) => scopeOf(groupResource(kind), namespace));
  return { scopes: [...resources, ...selected] };
}

const deletion = ({ verb }: AuditRecord): Pick<ChildKey, 'deleted'> =>
  verb === 'delete' ? { deleted: true } : {};
