import { find } from '../../api-server/storage/collection.ts';
import type { Store } from '../../api-server/storage/store.ts';
import {
  finalizersOf,
  foregroundFinalizer,
  isDeleting,
  type Owners,
  orphanFinalizer,
} from './owners.ts';
import { type ObjectKey, type Ownership, ownersIn } from './ownership.ts';
import type { Requests } from './requests.ts';

/** The objects that garbage collection works on. */
export interface Collecting {
  readonly store: Store;
  readonly owners: Owners;
  readonly ownership: Ownership;
  readonly requests: Requests;
}

/**
 * Deletes a dependent without owners, or removes the references to owners that are gone. If all owners wait for their
 * dependents, deletes the dependent only with `forOwner`: a new dependent that does not block its owner stays.
 */
export function collect(
  { store, owners, ownership, requests }: Collecting,
  { collection, key }: ObjectKey,
  forOwner: boolean,
): void {
  const stored = find(store.collection(collection), key);
  const references = stored ? ownersIn(stored) : [];
  if (stored === undefined || references.length === 0) return;
  const states = references.map((owner) => owners.stateOf(owner, stored));
  if (states.some((state) => state === 'present' || state === 'unknown')) {
    const kept = references.filter((_, index) => states[index] !== 'absent');
    if (kept.length < references.length) {
      requests.patch({ collection, stored }, { ownerReferences: kept });
    }
    return;
  }
  if (isDeleting(stored) || (!forOwner && !states.includes('absent'))) return;
  // Owners that wait for dependents are processed from the leaves up.
  const dependents = ownership.dependentsOf(stored.uid);
  const isForeground = states.includes('waiting') && dependents.length > 0;
  if (isForeground && dependents.some((place) => isWaiting(store, place))) {
    // The dependents may wait for this object in turn; such a cycle is broken here.
    const unblocked = references.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    requests.patch({ collection, stored }, { ownerReferences: unblocked });
  }
  requests.remove({ collection, stored }, isForeground ? 'Foreground' : 'Background');
}

function isWaiting(store: Store, { collection, key }: ObjectKey): boolean {
  const stored = find(store.collection(collection), key);
  return (
    stored !== undefined && isDeleting(stored) && finalizersOf(stored).includes(foregroundFinalizer)
  );
}

/** Advances an owner that waits for its dependents; returns the dependents that still block the owner. */
export function advance(
  collecting: Collecting,
  { collection, key }: ObjectKey,
): readonly ObjectKey[] {
  const { store, ownership } = collecting;
  const stored = find(store.collection(collection), key);
  if (stored === undefined) return [];
  const finalizers = finalizersOf(stored);
  const dependents = ownership.dependentsOf(stored.uid);
  if (finalizers.includes(orphanFinalizer)) {
    for (const place of dependents) orphan(collecting, place, stored.uid);
    release(collecting, { collection, key }, orphanFinalizer);
  } else if (finalizers.includes(foregroundFinalizer)) {
    const blocking = dependents.filter((place) => blocks(store, place, stored.uid));
    if (blocking.length > 0) return blocking;
    release(collecting, { collection, key }, foregroundFinalizer);
  }
  return [];
}

function release(
  { store, requests }: Collecting,
  { collection, key }: ObjectKey,
  finalizer: string,
): void {
  const stored = find(store.collection(collection), key);
  if (stored === undefined) return;
  const kept = finalizersOf(stored).filter((one) => one !== finalizer);
  requests.patch({ collection, stored }, { finalizers: kept.length === 0 ? null : kept });
}

function blocks(store: Store, { collection, key }: ObjectKey, uid: string): boolean {
  const stored = find(store.collection(collection), key);
  const references = stored ? ownersIn(stored) : [];
  return references.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
}

function orphan(
  { store, requests }: Collecting,
  { collection, key }: ObjectKey,
  uid: string,
): void {
  const stored = find(store.collection(collection), key);
  if (stored === undefined) return;
  const kept = ownersIn(stored).filter((owner) => owner.uid !== uid);
  requests.patch({ collection, stored }, { ownerReferences: kept.length === 0 ? null : kept });
}
