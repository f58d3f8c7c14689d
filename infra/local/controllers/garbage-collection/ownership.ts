import type { OwnerReference } from '../../api-server/objects/object.ts';
import type { Change, Stored } from '../../api-server/storage/stored.ts';

/** Where an object is. */
export interface ObjectKey {
  readonly collection: string;
  readonly key: string;
}

/**
 * An index of owner references.
 *
 * Guarantees: follows the store commit by commit; an object without owner references costs a text
 * search only.
 */
export interface Ownership {
  readonly onChange: (change: Change) => void;
  readonly dependentsOf: (uid: string) => readonly ObjectKey[];
  /** Everything that names an owner. */
  readonly all: () => readonly ObjectKey[];
  /** Reports whether this owner was deleted while an object referred to it, even if its kind is no longer served. */
  readonly isGone: (uid: string) => boolean;
}

export function createOwnership(): Ownership {
  const dependents = new Map<string, Map<string, ObjectKey>>();
  const gone = new Set<string>();

  const forget = (uid: string, place: ObjectKey): void => {
    const all = dependents.get(uid);
    all?.delete(`${place.collection}/${place.key}`);
    if (all?.size === 0) dependents.delete(uid);
  };

  const note = (uid: string, place: ObjectKey): void => {
    const all = dependents.get(uid) ?? new Map<string, ObjectKey>();
    all.set(`${place.collection}/${place.key}`, place);
    dependents.set(uid, all);
  };

  return {
    onChange: ({ collection, before, after }) => {
      const named = before ? ownersIn(before) : [];
      for (const { uid } of named) forget(uid, { collection, key: before?.key ?? '' });
      if (after) for (const { uid } of ownersIn(after)) note(uid, { collection, key: after.key });
      else if (before && dependents.has(before.uid)) gone.add(before.uid);
      for (const { uid } of named) if (!dependents.has(uid)) gone.delete(uid);
    },
    dependentsOf: (uid) => [...(dependents.get(uid)?.values() ?? [])],
    all: () => [...dependents.values()].flatMap((all) => [...all.values()]),
    isGone: (uid) => gone.has(uid),
  };
}

// Caches the references, because each commit requests them several times, before and after it.
const known = new WeakMap<Stored, readonly OwnerReference[]>();

/** The owner references of a stored object. */
export function ownersIn(stored: Stored): readonly OwnerReference[] {
  const { body } = stored;
  if (!body.includes('"ownerReferences":[')) return [];
  const owners = known.get(stored) ?? JSON.parse(body).metadata.ownerReferences ?? [];
  known.set(stored, owners);
  return owners;
}
