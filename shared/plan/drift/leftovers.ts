import { canonicalJson, isMap } from '../../canonical.ts';
import type { Identity } from '../../identity.ts';
import { present } from '../../json.ts';
import type {
  FieldsV1,
  Json,
  JsonObject,
  KubeObject,
  ManagedFieldsEntry,
} from '../../kubernetes.ts';
import { isOurApply } from '../observed/legacy.ts';
import { openParseContext, ownedFields } from '../observed/owned-fields.ts';
import {
  itemsIn,
  namesAt,
  namesIn,
  type Place,
  patchBetween,
  valueIn,
  withValueAt,
} from './places.ts';

/**
 * A child after an apply, and two objects that dry runs created to compare it with: `older` from its former fields,
 * `newer` from its desired fields.
 */
interface Upgrade {
  readonly upgraded: KubeObject;
  readonly older: KubeObject;
  readonly newer: KubeObject;
}

/**
 * Returns the fields that have no manager and whose value equals that in `older`, but not that in `newer`. In a list
 * merged by key, considers only our items.
 */
export const leftoversIn = (upgrade: Upgrade, identity: Identity): readonly Place[] => [
  ...eachLeftover(upgrade, identity),
];

function* eachLeftover(
  { upgraded, older, newer }: Upgrade,
  identity: Identity,
): Generator<Place, void, undefined> {
  const entries = upgraded.metadata.managedFields ?? [];
  const ours = namesIn(entries.filter(isOurs(identity)));
  const all = namesIn(entries);
  function* leftIn(place: Place): Generator<Place, void, undefined> {
    const value = valueIn(upgraded, place);
    if (isMap(value)) for (const field of Object.keys(value)) yield* leftAt([...place, field]);
    if (!Array.isArray(value)) return;
    for (const name of itemsIn(namesAt(ours, upgraded, place))) {
      const item = [...place, name];
      if (valueIn(upgraded, item) !== undefined) yield* leftIn(item);
    }
  }
  function* leftAt(place: Place): Generator<Place, void, undefined> {
    const [value, before, after] = [upgraded, older, newer].map((one) => valueIn(one, place));
    if (isSame(value, after)) return;
    const held = namesAt(all, upgraded, place);
    // Descends into a map without a manager, so that only the parts that differ are returned.
    const isDeeper = held.length > 0 ? held.some(hasInner) : isMap(value) && isMap(after);
    if (isDeeper) yield* leftIn(place);
    else if (held.length === 0 && isSame(value, before)) yield place;
  }
  for (const field of Object.keys(bodyOf(upgraded))) yield* leftAt([field]);
}

/** Reports whether the object has a field that may be a leftover because it has no manager. */
export const hasUnheld = (upgraded: KubeObject, identity: Identity): boolean => {
  const { apiVersion, kind, metadata } = upgraded;
  const newer = { apiVersion, kind, metadata };
  return eachLeftover({ upgraded, older: upgraded, newer }, identity).next().done !== true;
};

/** Returns the fields of our Apply entry, with long strings in full. */
export function fieldsHeld(live: KubeObject, identity: Identity): JsonObject | undefined {
  const ours = (live.metadata.managedFields ?? []).find(isOurApply(identity));
  const context = { ...openParseContext(), write: (text: string) => text };
  return ours && (ownedFields(ours.fieldsV1, live, { context }).value as JsonObject | undefined);
}

/** Returns the JSON patch from the live child to the upgraded child without its leftovers and with `handOver`. */
export function patchWithout(
  leftovers: readonly Place[],
  {
    live,
    upgraded,
    handOver,
  }: Pick<Upgrade, 'upgraded'> & {
    readonly live: KubeObject;
    readonly handOver: JsonObject | undefined;
  },
): readonly JsonObject[] {
  const { labels, annotations, ownerReferences } = upgraded.metadata;
  const metadata = { ...live.metadata, labels, annotations, ownerReferences };
  const cleared = leftovers.reduce<Json>(
    (object, place) => withValueAt(object, place, undefined),
    bodyOf(upgraded),
  );
  const before = { ...bodyOf(live), metadata: live.metadata as unknown as Json };
  const after = { ...over(cleared, handOver), metadata: present(metadata) as unknown as Json };
  return patchBetween(before, after);
}

const over = (object: Json | undefined, values: JsonObject = {}): JsonObject => ({
  ...(isMap(object) ? object : {}),
  ...Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isMap(value) ? over(isMap(object) ? object[name] : undefined, value) : value,
    ]),
  ),
});

const bodyOf = ({
  apiVersion: _,
  kind: __,
  metadata: ___,
  status: ____,
  ...body
}: KubeObject & JsonObject): JsonObject => body;

const isOurs =
  (identity: Identity) =>
  (entry: ManagedFieldsEntry): boolean =>
    isOurApply(identity)(entry) ||
    (entry.manager === identity.name && entry.operation === 'Update');

const hasInner = (names: FieldsV1): boolean => Object.keys(names).some((name) => name !== '.');

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  one === other || canonicalJson(one) === canonicalJson(other);
