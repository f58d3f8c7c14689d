import { groupResource, type ResourceType } from '../kubernetes.ts';
import { parseScope, type Scope, scopeOf } from '../scope.ts';
import type { AuditRecord, Dropped } from './record.ts';

/** What routing and filtering need of a kind. */
export interface AuditedKind extends Pick<ResourceType, 'group' | 'plural' | 'kind'> {
  readonly owns: readonly ResourceType[];
  /** Types of objects that resources refer to. */
  readonly refersTo: readonly ResourceType[];
}

/** A child whose owner has not been looked up yet. */
export interface ChildKey {
  readonly type: ResourceType;
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
      readonly scopes: readonly Scope[];
      readonly child?: ChildKey;
      readonly referred?: ChildKey;
    }
  | Dropped;

/**
 * Routes a record to the Scope of the written resource, or to a child or referred object by name. A write
 * without a name (generateName, deletecollection) is routed to every resource in its namespace that it may
 * concern. With `readersOnly` it concerns only those that refer to the object.
 */
export function routeOf(
  record: AuditRecord,
  kinds: readonly AuditedKind[],
  { readersOnly = false }: { readonly readersOnly?: boolean } = {},
): Route {
  const { namespace, name } = record;
  const isWritten = (type: Pick<ResourceType, 'group' | 'plural'>): boolean =>
    type.group === record.group && type.plural === record.plural;
  const key = namespace === undefined ? undefined : name;
  const legal = parseScope(scopeOf(record.plural, namespace, key));
  if (typeof legal === 'string') return { dropped: legal };

  const concerned = readersOnly ? [] : kinds;
  const resources = concerned
    .filter(isWritten)
    .map((kind) => scopeOf(groupResource(kind), namespace, key));
  const owners = concerned.filter((kind) => kind.owns.some(isWritten));
  const readers = kinds.filter((kind) => kind.refersTo.some(isWritten));
  const type = [
    ...owners.flatMap(({ owns }) => owns),
    ...readers.flatMap((one) => one.refersTo),
  ].find(isWritten);
  if (type === undefined)
    return resources.length === 0 ? { dropped: 'another type' } : { scopes: resources };
  if (namespace !== undefined && key !== undefined) {
    const written = { type, namespace, name: key, ...deletion(record) };
    return {
      scopes: resources,
      ...(owners.length === 0 ? {} : { child: written }),
      ...(readers.length === 0 ? {} : { referred: written }),
    };
  }
  const selected = new Set([...owners, ...readers].map(groupResource));
  return { scopes: [...resources, ...[...selected].map((kind) => scopeOf(kind, namespace))] };
}

const deletion = ({ verb }: AuditRecord): Pick<ChildKey, 'deleted'> =>
  verb === 'delete' ? { deleted: true } : {};
