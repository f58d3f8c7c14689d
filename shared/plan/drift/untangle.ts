import { canonicalJson, isMap } from '../../canonical.ts';
import type { Identity } from '../../identity.ts';
import type { FieldsV1, Json, JsonObject, KubeObject } from '../../kubernetes.ts';
import { nameInText } from '../../printable.ts';
import { isOurApply } from '../observed/legacy.ts';
import { itemPath, join, ownedFields } from '../observed/owned-fields.ts';
import { type Place, patchBetween, withValueAt } from './json-patch.ts';

/** Parses a field as a refusal names it, such as `spec.ports[0].nodePort` or `metadata.labels[app]`. */
export function placeOf(field: string): Place {
  const steps = field.match(/\[[^\]]*\]|[^.[\]]+/g) ?? [];
  return steps.map((step) => {
    const inner = step.startsWith('[') ? step.slice(1, -1) : step;
    return /^\d+$/.test(inner) ? Number(inner) : inner;
  });
}

/** Returns the enclosing place; undefined for a list item, and if that would be a top-level field. */
export const widened = (place: Place): Place | undefined =>
  place.length <= 2 || typeof place.at(-1) === 'number' ? undefined : place.slice(0, -1);

/** An apply that the API server refuses, because it conflicts with fields of other managers. */
export interface Tangle {
  /**
   * Returns a JSON patch that applies our fields and removes everything else at these places. Other places
   * keep their values, except for fields of ours that are no longer wanted. Undefined if there is nothing to
   * remove, or if the patch would remove fields of ours.
   */
  readonly without: (places: readonly Place[]) => readonly JsonObject[] | undefined;
  /** Returns the unwanted items of the lists that contain these places. */
  readonly otherItems: (places: readonly Place[]) => readonly Place[];
  /** Returns those of them that have the same value as a place, such as the name of another port. */
  readonly equalItems: (places: readonly Place[]) => readonly Place[];
  /** Returns the single fields around these places that others set and we do not want, the nearest first. */
  readonly otherFields: (places: readonly Place[]) => readonly Place[];
  /** Returns the wanted list items that the object lacks. */
  readonly newItems: () => readonly Place[];
  /** Returns the other managers that hold a field at these places. */
  readonly holders: (places: readonly Place[]) => readonly string[];
}

export function tangleOf(live: KubeObject, fields: JsonObject, identity: Identity): Tangle {
  const { others, held, before, kept, applied, root } = partsOf(live, fields, identity);
  const foundIn = (object: Json, place: Place) => at(object, place, { ...root, object: applied });
  const wantedAt = (place: Place): Json | undefined => foundIn(fields, place);
  const isLive = (place: Place): boolean => foundIn(kept, place) !== undefined;
  const othersBeside = (place: Place): readonly Place[] =>
    itemsBeside(place, applied).filter((item) => wantedAt(item) === undefined);
  return {
    without(places) {
      const named = outermost(places.map((place) => spelled(place, applied))).toSorted(lastFirst);
      const cleared = named.reduce<Json>(
        (object, place) => withValueAt(object, place, wantedAt(place)),
        applied,
      );
      const isFree = canonicalJson(cleared) === canonicalJson(applied);
      return isFree ? undefined : patchBetween(before, cleared);
    },
    otherItems: (places) => places.flatMap(othersBeside),
    equalItems: (places) =>
      places.flatMap((place) => {
        const value = valueIn(applied, place);
        return othersBeside(place).filter(
          (item) =>
            value !== undefined &&
            valueIn(applied, [...item, ...place.slice(item.length)]) === value,
        );
      }),
    otherFields: (places) =>
      places
        .flatMap((place) => place.map((_, index) => place.slice(0, index)).toReversed())
        .flatMap((place) => leavesIn(namesAt(held, applied, place)).map((name) => [...place, name]))
        .filter((place) => isLive(place) && wantedAt(place) === undefined),
    newItems: () =>
      itemsIn(applied, []).filter((place) => !isLive(place) && wantedAt(place) !== undefined),
    holders(places) {
      const found = others.filter(({ fieldsV1 = {} }) =>
        places.some((place) => namesAt([fieldsV1], before, spelled(place, before)).length > 0),
      );
      return [...new Set(found.map(({ manager }) => nameInText(manager ?? 'unknown')))].toSorted();
    },
  };
}

/** Returns the live object without the fields that our apply drops, and as it would be after the apply. */
function partsOf(live: KubeObject, fields: JsonObject, identity: Identity) {
  const entries = (live.metadata.managedFields ?? []).filter(
    ({ subresource }) => subresource !== 'status',
  );
  const isOurs = isOurApply(identity);
  const others = entries.filter((entry) => !isOurs(entry));
  const held = others.flatMap(({ fieldsV1 }) => fieldsV1 ?? []);
  const listKeys: ListKeys = Object.assign(
    {},
    ...entries.map(({ fieldsV1 }) => ownedFields(fieldsV1, live).listKeys),
  );
  const before = contentOf(live);
  const kept = entries
    .filter(isOurs)
    .reduce<Json>(
      (object, { fieldsV1 }) => without(object, fields, { names: fieldsV1 ?? {}, held }),
      before,
    );
  const root = { path: '', listKeys };
  const applied = merged(kept, fields, root) as JsonObject;
  return { others, held, before, kept, applied, root };
}

/** Drops duplicates and places inside other places. */
const outermost = (places: readonly Place[]): readonly Place[] =>
  places.filter(
    (place, at) =>
      !places.some((other, nth) => isIn(place, other) && (other.length < place.length || nth < at)),
  );

const isIn = (place: Place, other: Place): boolean => other.every((step, at) => step === place[at]);

/** Sorts later list items first, so that removing one leaves other indexes valid. No place is inside another. */
function lastFirst(a: Place, b: Place): number {
  const at = a.findIndex((step, index) => step !== b[index]);
  const [one, other] = [a[at] ?? '', b[at] ?? ''];
  return typeof one === 'number' && typeof other === 'number' ? other - one : one < other ? 1 : -1;
}

const valueIn = (object: Json | undefined, place: Place): Json | undefined =>
  place.reduce<Json | undefined>(
    (value, step) => (value as Readonly<Record<string | number, Json>> | null | undefined)?.[step],
    object,
  );

/** Returns the items of all lists that contain the place, the innermost list first. */
const itemsBeside = (place: Place, object: Json): readonly Place[] =>
  place
    .flatMap((step, index) => (typeof step === 'number' ? [place.slice(0, index)] : []))
    .toReversed()
    .flatMap((list) => {
      const items = valueIn(object, list);
      return Array.isArray(items) ? items.map((_, at) => [...list, at]) : [];
    });

/** Returns the fields whose entry names nothing below them. */
const leavesIn = (entries: readonly FieldsV1[]): readonly string[] =>
  entries.flatMap((names) =>
    Object.entries(names).flatMap(([name, inner]) =>
      name.startsWith('f:') && Object.keys(inner as FieldsV1).length === 0 ? [name.slice(2)] : [],
    ),
  );

/** Returns the places of all list items. */
function itemsIn(value: Json | undefined, place: Place): readonly Place[] {
  if (Array.isArray(value))
    return value.flatMap((item: Json, index) => {
      const own = [...place, index];
      return [own, ...itemsIn(item, own)];
    });
  return isMap(value)
    ? Object.entries(value).flatMap(([name, inner]) => itemsIn(inner, [...place, name]))
    : [];
}

type ListKeys = Readonly<Record<string, readonly string[]>>;

const contentOf = ({ status: _, ...object }: KubeObject & JsonObject): JsonObject => object;

interface Held {
  readonly names: FieldsV1;
  readonly held: readonly FieldsV1[];
}

/** Removes the fields that an apply would drop: unwanted ones that our entry names and no other manager holds. */
function without(live: Json, wanted: Json | undefined, { names, held }: Held): Json {
  if (!isMap(live)) return live;
  const left: Record<string, Json | undefined> = { ...live };
  for (const [name, inner] of Object.entries(names)) {
    const field = name.slice(2);
    const value = live[field];
    if (!name.startsWith('f:') || value === undefined) continue;
    const want = isMap(wanted) ? wanted[field] : undefined;
    const others = held.flatMap((one) => (one[name] as FieldsV1 | undefined) ?? []);
    const isLeaf = Object.keys(inner as FieldsV1).every((one) => one === '.');
    if (want === undefined && isLeaf && others.length === 0) delete left[field];
    else left[field] = without(value, want, { names: inner as FieldsV1, held: others });
    if (want === undefined && isMap(left[field]) && Object.keys(left[field]).length === 0)
      delete left[field];
  }
  return left;
}

interface Lists {
  readonly path: string;
  readonly listKeys: ListKeys;
}

/**
 * Merges our fields into the live ones: maps field by field, lists by their keys. In a list, others' items precede the
 * next item that is live and wanted, as the server orders them: a refusal names items by index.
 */
function merged(live: Json | undefined, wanted: Json | undefined, { path, listKeys }: Lists): Json {
  const inner = (name: string): Lists => ({ path: join(path, name), listKeys });
  if (isMap(live) && isMap(wanted)) {
    const fields = Object.entries(wanted).filter(([, value]) => value !== undefined);
    const own = fields.map(([name, value]) => [name, merged(live[name], value, inner(name))]);
    return { ...live, ...Object.fromEntries(own) };
  }
  const keys = listKeys[path] ?? [];
  if (keys.length === 0 || !Array.isArray(live) || !Array.isArray(wanted)) return wanted as Json;
  const lives: readonly Json[] = live;
  const positions = wanted.map((one: Json) => lives.findIndex((item) => isSame(keys, item, one)));
  let passed = 0;
  const othersUntil = (end: number): readonly Json[] => {
    const begin = passed;
    passed = Math.max(begin, end);
    return lives.slice(begin, end).filter((_, at) => !positions.includes(begin + at));
  };
  const items = wanted.flatMap((one: Json, at): readonly Json[] => {
    const next = positions.slice(at).find((position) => position >= 0) ?? lives.length;
    const others = othersUntil(next < passed ? lives.length : next);
    const item = lives[positions[at] ?? -1];
    if (item === undefined) return [...others, one];
    const own = { path: itemPath(path, keys, item as JsonObject), listKeys };
    return [...others, merged(item, one, own)];
  });
  return [...items, ...othersUntil(lives.length)];
}

/** Corrects the spelling of names to the object's: a refusal may say `spec.LoadBalancerSourceRanges`. */
function spelled(place: Place, object: Json): Place {
  let value: Json | undefined = object;
  return place.map((step) => {
    const small = typeof step === 'string' ? step.charAt(0).toLowerCase() + step.slice(1) : step;
    const isThere = (one: string | number): boolean => isMap(value) && value[one] !== undefined;
    const own = !isThere(step) && isThere(small) ? small : step;
    value = (value as Readonly<Record<string | number, Json>> | null | undefined)?.[own];
    return own;
  });
}

/** Returns what entries name at a place of the object. */
function namesAt(held: readonly FieldsV1[], object: Json, place: Place): readonly FieldsV1[] {
  let [names, value] = [held, object as Json | undefined];
  for (const step of place) {
    const item =
      typeof step === 'number' && Array.isArray(value) ? (value[step] as Json) : undefined;
    names = names.flatMap((one) => {
      const own =
        item === undefined
          ? one[`f:${step}`]
          : Object.entries(one).find(([name]) => isItem(name, item))?.[1];
      return own === undefined ? [] : [own as FieldsV1];
    });
    value = item ?? (isMap(value) ? value[step] : undefined);
  }
  return names;
}

/** Reports whether a name in managedFields, such as `k:{"name":"a"}`, is that of the item. */
export function isItem(name: string, item: Json): boolean {
  if (!name.startsWith('k:') || !isMap(item)) return false;
  const key = JSON.parse(name.slice(2)) as JsonObject;
  return Object.entries(key).every(([field, value]) => item[field] === value);
}

/** Reports whether two values are the same list item, by its keys. A key that we do not set is not compared. */
const isSame = (keys: readonly string[], live: Json, wanted: Json): boolean =>
  isMap(live) &&
  isMap(wanted) &&
  keys.every((key) => wanted[key] === undefined || wanted[key] === live[key]);

/** Returns the value of an object at a place of the applied object, whose lists may have other items. */
function at(
  wanted: Json | undefined,
  [step, ...rest]: Place,
  { object, path, listKeys }: Lists & { readonly object: Json | undefined },
): Json | undefined {
  if (step === undefined) return wanted;
  if (typeof step === 'string') {
    const inner = {
      object: isMap(object) ? object[step] : undefined,
      path: join(path, step),
      listKeys,
    };
    return at(isMap(wanted) ? wanted[step] : undefined, rest, inner);
  }
  const keys = listKeys[path] ?? [];
  const item = Array.isArray(object) ? (object[step] as Json) : undefined;
  if (!Array.isArray(wanted) || !isMap(item)) return undefined;
  const inner = { object: item, path: itemPath(path, keys, item), listKeys };
  // A list without keys is wholly ours.
  const own =
    keys.length === 0 ? wanted[step] : wanted.find((one: Json) => isSame(keys, item, one));
  return at(own as Json | undefined, rest, inner);
}
