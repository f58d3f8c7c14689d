import { isObject, listAt } from '../../api-server/json/value.ts';
import type { OwnerReference } from '../../api-server/objects/object.ts';
import type { Registry } from '../../api-server/resources/registry.ts';
import { find } from '../../api-server/storage/collection.ts';
import type { Store } from '../../api-server/storage/store.ts';
import type { Stored } from '../../api-server/storage/stored.ts';
import type { ObjectKey, Ownership } from './ownership.ts';

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/**
 * The state of an owner. `waiting`: it is being deleted and waits for its dependents. `unknown`: its kind is
 * not served.
 */
export type OwnerState = 'present' | 'waiting' | 'absent' | 'unknown';

/** Finds the owners of a dependent, in its own namespace or cluster-wide. */
export interface Owners {
  readonly stateOf: (owner: OwnerReference, dependent: Stored) => OwnerState;
  readonly placeOf: (owner: OwnerReference, dependent: Stored) => ObjectKey | undefined;
}

export function createOwners(
  store: Store,
  registry: Registry,
  { isGone }: Pick<Ownership, 'isGone'>,
): Owners {
  const placeOf = (owner: OwnerReference, dependent: Stored): ObjectKey | undefined => {
    const [version = '', group = ''] = owner.apiVersion.split('/').toReversed();
    const resource = registry.findKind(group, version, owner.kind)?.resource;
    if (resource === undefined) return undefined;
    const { namespaced, collection } = resource;
    const inNamespace = namespaced && dependent.namespace !== '';
    return { collection, key: inNamespace ? `${dependent.namespace}/${owner.name}` : owner.name };
  };

  const stateOf = (owner: OwnerReference, dependent: Stored): OwnerState => {
    if (isGone(owner.uid)) return 'absent';
    const place = placeOf(owner, dependent);
    if (place === undefined) return 'unknown';
    const stored = find(store.collection(place.collection), place.key);
    if (stored?.uid !== owner.uid) return 'absent';
    return isDeleting(stored) && finalizersOf(stored).includes(foregroundFinalizer)
      ? 'waiting'
      : 'present';
  };

  return { stateOf, placeOf };
}

export function isDeleting({ body }: Stored): boolean {
  return (
    body.includes('"deletionTimestamp":') &&
    JSON.parse(body).metadata.deletionTimestamp !== undefined
  );
}

export function finalizersOf({ body }: Stored): string[] {
  const { metadata } = JSON.parse(body);
  return isObject(metadata) ? listAt(metadata, 'finalizers').map(String) : [];
}
