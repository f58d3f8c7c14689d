import type { Change, Stored } from '../../api-server/storage/stored.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { advance, type Collecting, collect } from './collect.ts';
import { createOwners, FOREGROUND, finalizersOf, isDeleting, ORPHAN } from './owners.ts';
import { createOwnership, ownersIn, type Place } from './ownership.ts';
import { createRequests } from './requests.ts';

/**
 * Deletes what lost its owners, and carries out foreground and orphan deletions.
 *
 * Guarantees: an object goes only when none of its owners is there, by kind, name and uid in its
 * own namespace (or cluster-wide); owners of kinds that are not served keep it.
 * Caveats: the real one takes half a second, this one the next turns of the event loop.
 */
export const garbageCollector = ({ server, work, ...context }: ControllerContext): Controller => {
  const { store, registry } = server;
  const collectLater = (place: Place): void =>
    work.add(`collect ${place.collection}/${place.key}`, () => collect(collecting, place));
  const advanceLater = (place: Place): void =>
    work.add(`advance ${place.collection}/${place.key}`, () => {
      for (const dependent of advance(collecting, place)) collectLater(dependent);
    });
  const client = context.client('generic-garbage-collector');
  const collecting: Collecting = {
    store,
    owners: createOwners(store, registry),
    ownership: createOwnership(),
    requests: createRequests(client, registry, ({ collection, stored }) => {
      const place = { collection, key: stored.key };
      collectLater(place);
      if (isMarked(stored)) advanceLater(place);
    }),
  };
  const { owners, ownership } = collecting;

  const heedRemoval = (stored: Stored): void => {
    for (const place of ownership.dependentsOf(stored.uid)) collectLater(place);
    // A foreground deletion of an owner may be waiting for this one.
    for (const owner of ownersIn(stored)) {
      const place = owners.placeOf(owner, stored);
      if (place && owners.stateOf(owner, stored) === 'waiting') advanceLater(place);
    }
  };

  return {
    heed: (change: Change) => {
      const { collection, before, after } = change;
      ownership.heed(change);
      if (collection === 'events') return;
      if (after === undefined) {
        if (before) heedRemoval(before);
        return;
      }
      const place = { collection, key: after.key };
      if (isMarked(after)) advanceLater(place);
      if (ownersIn(after).length > 0) collectLater(place);
    },
  };
};

const isMarked = (stored: Stored): boolean => {
  if (!isDeleting(stored)) return false;
  const finalizers = finalizersOf(stored);
  return finalizers.includes(FOREGROUND) || finalizers.includes(ORPHAN);
};
