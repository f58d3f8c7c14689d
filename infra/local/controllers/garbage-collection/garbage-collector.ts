import { definitionsCollection } from '../../api-server/kinds/definition/definition.ts';
import type { OwnerReference } from '../../api-server/objects/object.ts';
import type { Change, Stored } from '../../api-server/storage/stored.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { advance, type Collecting, collect } from './collect.ts';
import {
  createOwners,
  finalizersOf,
  foregroundFinalizer,
  isDeleting,
  orphanFinalizer,
} from './owners.ts';
import { createOwnership, type ObjectKey, ownersIn } from './ownership.ts';
import { createRequests } from './requests.ts';

/**
 * Deletes objects without owners, and carries out foreground and orphan deletions.
 *
 * Guarantees: an object is deleted only if none of its owners exists, by kind, name and uid, in its own namespace or
 * cluster-wide. An owner of a kind that is not served keeps the object until the kind is served, unless the owner's
 * deletion was seen.
 * Caveats: acts in the next turns of the event loop; the real collector takes half a second.
 */
export function garbageCollector({ server, work, ...context }: ControllerContext): Controller {
  const { store, registry } = server;
  const collectLater = (place: ObjectKey, forOwner = false): void =>
    work.add(`collect ${place.collection}/${place.key} ${forOwner}`, () =>
      collect(collecting, place, forOwner),
    );
  const advanceLater = (place: ObjectKey): void =>
    work.add(`advance ${place.collection}/${place.key}`, () => {
      for (const dependent of advance(collecting, place)) collectLater(dependent, true);
    });
  const client = context.client('generic-garbage-collector');
  const ownership = createOwnership();
  const owners = createOwners(store, registry, ownership);
  const requests = createRequests(client, registry, ({ collection, stored }) => {
    const place = { collection, key: stored.key };
    collectLater(place, true);
    if (isMarked(stored)) advanceLater(place);
  });
  const collecting: Collecting = { store, owners, ownership, requests };

  /** A foreground deletion of these owners may have waited for this dependent. */
  const advanceOwners = (references: readonly OwnerReference[], dependent: Stored): void => {
    for (const owner of references) {
      const place = owners.placeOf(owner, dependent);
      if (place && owners.stateOf(owner, dependent) === 'waiting') advanceLater(place);
    }
  };

  return {
    onChange: (change: Change) => {
      const { collection, before, after } = change;
      ownership.onChange(change);
      if (collection === 'events') return;
      if (collection === definitionsCollection)
        for (const place of ownership.all()) collectLater(place);
      if (after === undefined) {
        if (before === undefined) return;
        for (const place of ownership.dependentsOf(before.uid)) collectLater(place);
        advanceOwners(ownersIn(before), before);
        return;
      }
      if (before) advanceOwners(unblocked(before, after), before);
      const place = { collection, key: after.key };
      if (isMarked(after)) advanceLater(place);
      if (beginsForeground(before, after))
        for (const dependent of ownership.dependentsOf(after.uid)) collectLater(dependent, true);
      if (ownersIn(after).length > 0) collectLater(place);
    },
  };
}

/** Returns the owners whose deletion the object no longer blocks. */
function unblocked(before: Stored, after: Stored): readonly OwnerReference[] {
  const blocked = ownersIn(before).filter(({ blockOwnerDeletion }) => blockOwnerDeletion);
  if (blocked.length === 0) return [];
  const now = ownersIn(after);
  return blocked.filter(
    ({ uid }) => !now.some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
  );
}

/** Reports whether a foreground deletion begins: it deletes all dependents, then waits for dependents that block it. */
const beginsForeground = (before: Stored | undefined, after: Stored): boolean =>
  isForeground(after) && !(before && isForeground(before));

const isForeground = (stored: Stored): boolean =>
  isDeleting(stored) && finalizersOf(stored).includes(foregroundFinalizer);

function isMarked(stored: Stored): boolean {
  if (!isDeleting(stored)) return false;
  const finalizers = finalizersOf(stored);
  return finalizers.includes(foregroundFinalizer) || finalizers.includes(orphanFinalizer);
}
