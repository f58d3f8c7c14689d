import { canonicalJson, isMap, isZero } from '../../shared/canonical.ts';
import type { Identity } from '../../shared/identity.ts';
import { pointerToken } from '../../shared/json.ts';
import type { Child } from '../../shared/kinds/child.ts';
import { isWithin } from '../../shared/kinds/impact.ts';
import { saltAnnotation } from '../../shared/kinds/names.ts';
import type { FieldsV1, Json, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { placeOf } from '../../shared/plan/drift/places.ts';
import { isOurApply } from '../../shared/plan/observed/legacy.ts';
import { itemPath, join } from '../../shared/plan/observed/owned-fields.ts';

/** One field that our Apply entry names in a live object: a scalar, or an empty map or list. */
export interface HeldField {
  /** `spec.ports[port=80,protocol="TCP"].targetPort` */
  readonly path: string;
  /** The path in a JSON patch, valid only for this version of the object. */
  readonly pointer: string;
  readonly value: Json;
  /** True if the server dropped the value because it is empty, such as `false`. */
  readonly isDropped?: true;
  /** Name of the field's group. If all fields of a group change at once, the plan has one difference for each field. */
  readonly group: string;
}

/**
 * Returns every field that we set, except the owner reference, the annotation with a Secret's salt, and fields that the
 * kind leaves to others. Also omits what the server adds to a map that is empty in `body`: managedFields list the whole
 * map as ours.
 */
export function heldFields(
  live: KubeObject,
  identity: Identity,
  { body, initial = [], handsOver = [] }: Pick<Child, 'body' | 'initial' | 'handsOver'>,
): readonly HeldField[] {
  const left = [...initial, ...handsOver.filter((path) => placeOf(body, path) === undefined)];
  const entry = live.metadata.managedFields?.find(isOurApply(identity));
  const fields = held(entry?.fieldsV1 ?? {}, [live, body], root);
  return fields.filter(
    ({ path, pointer }) =>
      !pointer.startsWith('/metadata/ownerReferences/') &&
      path !== `metadata.annotations.${saltAnnotation}` &&
      !left.some((one) => isWithin(path, one)),
  );
}

interface FieldLocation extends Omit<HeldField, 'value'> {
  /** The key fields of a list item; empty for anything else. */
  readonly keys: readonly string[];
  /** The number of lists around the field. */
  readonly depth: number;
}

const root: FieldLocation = { path: '', pointer: '', group: 'field', keys: [], depth: 0 };

function held(
  fields: FieldsV1,
  [live, desired]: readonly [Json | undefined, Json | undefined],
  at: FieldLocation,
): readonly HeldField[] {
  if (live === undefined)
    return isZero(desired) && desired != null && !isMap(desired)
      ? [{ ...at, value: desired, isDropped: true }]
      : [];
  const inner = Object.entries(fields).filter(([name]) => name !== '.');
  if (inner.length === 0) return isEmpty(desired) && !isEmpty(live) ? [] : wholeOf(live, at);
  const [inLive, inDesired] = [stepsFrom(live, at), stepsFrom(desired, at)];
  return inner.flatMap(([name, below]) => {
    const found = inLive(name);
    return found === undefined ? [] : held(below, [found.value, inDesired(name)?.value], found);
  });
}

const isEmpty = (value: Json | undefined): boolean =>
  isMap(value) && Object.keys(value).length === 0;

type Step = (name: string) => (FieldLocation & { readonly value: Json | undefined }) | undefined;

/** Returns a function that resolves a name in managedFields: `f:` a field, `k:` a keyed item, `v:` a set's value. */
function stepsFrom(live: Json | undefined, at: FieldLocation): Step {
  if (isMap(live))
    return (name) => (name.startsWith('f:') ? inMap(live, name.slice(2), at) : undefined);
  if (!Array.isArray(live)) return () => undefined;
  const indexes = new Map<string, ReadonlyMap<string, number>>();
  return (name) => {
    const key = JSON.parse(name.slice(2)) as Json;
    const keys = name.startsWith('k:') && isMap(key) ? Object.keys(key) : [];
    const known = indexes.get(keys.join()) ?? indexBy(live, keys);
    indexes.set(keys.join(), known);
    const index = known.get(canonicalJson(key));
    if (index === undefined) return undefined;
    const isSet = keys.length === 0;
    return {
      path: isSet
        ? itemPath(at.path, [''], { '': key })
        : itemPath(at.path, keys, key as JsonObject),
      pointer: `${at.pointer}/${index}`,
      group: isSet ? `item ${index}` : at.group,
      keys,
      depth: at.depth + 1,
      value: live[index],
    };
  };
}

/** Maps each key to the index of the first item with this key. In a set, the item itself is the key. */
function indexBy(list: readonly Json[], keys: readonly string[]): ReadonlyMap<string, number> {
  const keyOf = (item: Json): Json =>
    keys.length > 0 && isMap(item) ? Object.fromEntries(keys.map((key) => [key, item[key]])) : item;
  return new Map(list.map((item, at) => [canonicalJson(keyOf(item)), at] as const).toReversed());
}

/** Locates a field of a map. A key field gets a group of its own, because changing a key replaces the whole item. */
const inMap = (
  live: JsonObject,
  field: string,
  { path, pointer, keys, depth, group }: FieldLocation,
) => ({
  path: join(path, field),
  pointer: `${pointer}/${pointerToken(field)}`,
  group: keys.includes(field) ? `key ${depth} ${keys.indexOf(field)}` : group,
  keys: [],
  depth,
  value: Object.hasOwn(live, field) ? live[field] : undefined,
});

/**
 * Lists the scalars of a map or list that we own as a whole. Each is in a group of its own, so that they are changed
 * one at a time: if several changed at once, the plan would show only one difference, for the whole map or list.
 */
const wholeOf = (live: Json, at: FieldLocation): readonly HeldField[] =>
  scalarsIn(live, at).map(({ path, pointer, value, group }, index) => ({
    path,
    pointer,
    value,
    group: index === 0 ? group : `${group} ${index}`,
  }));

function scalarsIn(
  live: Json,
  at: FieldLocation,
): readonly (FieldLocation & { readonly value: Json })[] {
  if (typeof live !== 'object' || live === null || Object.keys(live).length === 0)
    return [{ ...at, value: live }];
  if (isMap(live))
    return Object.keys(live).flatMap((field) => {
      const { value, ...location } = inMap(live, field, at);
      return value === undefined ? [] : scalarsIn(value, location);
    });
  return (live as readonly Json[]).flatMap((item, index) =>
    scalarsIn(item, {
      ...at,
      path: `${at.path}[${index}]`,
      pointer: `${at.pointer}/${index}`,
    }),
  );
}
