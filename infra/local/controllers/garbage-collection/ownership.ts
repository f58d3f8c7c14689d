import type { OwnerReference } from '../../api-server/objects/object.ts';
import type { Change, Stored } from '../../api-server/storage/stored.ts';

/** Where an object is. */
export interface Place {
  readonly collection: string;
  readonly key: string;
}

/**
 * Who names whom as an owner.
 *
 * Guarantees: follows the store commit by commit; an object without owner references costs a text
 * search only.
 */
export interface Ownership {
  readonly heed: (change: Change) => void;
  readonly dependentsOf: (uid: string) => readonly Place[];
}

export const createOwnership = (): Ownership => {
  const dependents = new Map<string, Map<string, Place>>();

  const forget = (collection: string, stored: Stored): void => {
    for (const { uid } of ownersIn(stored)) {
      const all = dependents.get(uid);
      all?.delete(`${collection}/${stored.key}`);
      if (all?.size === 0) dependents.delete(uid);
    }
  };

  const note = (collection: string, stored: Stored): void => {
    for (const { uid } of ownersIn(stored)) {
      const all = dependents.get(uid) ?? new Map<string, Place>();
      all.set(`${collection}/${stored.key}`, { collection, key: stored.key });
      dependents.set(uid, all);
    }
  };

  return {
    heed: ({ collection, before, after }) => {
      if (before) forget(collection, before);
      if (after) note(collection, after);
    },
    dependentsOf: (uid) => [...(dependents.get(uid)?.values() ?? [])],
  };
};

/** The owner references of a stored object. */
export const ownersIn = ({ body }: Stored): readonly OwnerReference[] =>
  body.includes('"ownerReferences":[') ? (JSON.parse(body).metadata.ownerReferences ?? []) : [];
