import { isMap, isSameJson } from '../../canonical.ts';
import type { Identity } from '../../identity.ts';
import { present } from '../../json.ts';
import type { FieldsV1, Json, JsonObject, KubeObject } from '../../kubernetes.ts';
import { isOurApply } from '../observed/legacy.ts';
import { openParseContext, ownedFields } from '../observed/owned-fields.ts';
import {
  isItemName,
  namesAt,
  namesIn,
  type Place,
  patchBetween,
  valueIn,
  withValueAt,
} from './places.ts';

/**
 * A child after an apply, and two objects to compare it with. Dry runs created `older` from the fields of the
 * previous apply, and `newer` from the desired fields.
 */
interface Upgrade {
  readonly upgraded: KubeObject;
  readonly older: KubeObject;
  readonly newer: KubeObject;
}

/**
 * Returns the unmanaged fields whose values are as in `older` and differ from `newer`. In a list merged by key,
 * considers only our items.
 */
export function* leftoversIn(
  { upgraded, older, newer }: Upgrade,
  identity: Identity,
): Generator<Place> {
  const entries = upgraded.metadata.managedFields ?? [];
  const ours = namesIn(entries.filter(({ manager }) => manager === identity.name));
  const all = namesIn(entries);
  function* leftIn(place: Place): Generator<Place> {
    const value = valueIn(upgraded, place);
    if (isMap(value)) for (const field in value) yield* leftAt([...place, field]);
    if (!Array.isArray(value)) return;
    const names = new Set(namesAt(ours, upgraded, place).flatMap((one) => Object.keys(one)));
    for (const name of names) if (isItemName(name)) yield* leftIn([...place, name]);
  }
  function* leftAt(place: Place): Generator<Place> {
    const [value, before, after] = [upgraded, older, newer].map((one) => valueIn(one, place));
    if (isSameJson(value, after)) return;
    const held = namesAt(all, upgraded, place);
    // If no manager holds a map, returns only the parts of the map that differ.
    const isDeeper = held.length > 0 ? held.some(hasInner) : isMap(value) && isMap(after);
    if (isDeeper) yield* leftIn(place);
    else if (held.length === 0 && isSameJson(value, before)) yield place;
  }
  for (const field in bodyOf(upgraded)) yield* leftAt([field]);
}

/** Reports whether the object has a field that may be a leftover because it has no manager. */
export function hasUnheld(upgraded: KubeObject, identity: Identity): boolean {
  const { apiVersion, kind, metadata } = upgraded;
  const newer = { apiVersion, kind, metadata };
  return !leftoversIn({ upgraded, older: upgraded, newer }, identity).next().done;
}

/** Returns the fields of our Apply entry, with long strings in full. */
export function fieldsHeld(live: KubeObject, identity: Identity): JsonObject | undefined {
  const ours = (live.metadata.managedFields ?? []).find(isOurApply(identity));
  const context = { ...openParseContext(), write: (text: string) => text };
  return ours && (ownedFields(ours.fieldsV1, live, { context }).value as JsonObject | undefined);
}

/** Returns the JSON patch that turns the live child into the upgraded child minus the leftovers. */
export function patchWithout(
  leftovers: readonly Place[],
  { live, upgraded }: { readonly live: KubeObject; readonly upgraded: KubeObject },
): readonly JsonObject[] {
  const { labels, annotations, ownerReferences } = upgraded.metadata;
  const metadata = { ...live.metadata, labels, annotations, ownerReferences };
  const clear = (object: Json, place: Place): Json => withValueAt(object, place, undefined);
  const fields = leftovers.reduce(clear, bodyOf(upgraded)) as JsonObject;
  const before = { ...bodyOf(live), metadata: live.metadata as unknown as Json };
  const after = { ...fields, metadata: present(metadata) as unknown as Json };
  return patchBetween(before, after);
}

const bodyOf = ({
  apiVersion: _,
  kind: __,
  metadata: ___,
  status: ____,
  ...body
}: KubeObject & JsonObject): JsonObject => body;

const hasInner = (names: FieldsV1): boolean => Object.keys(names).some((name) => name !== '.');
