import { canonicalJson, isMap } from '../shared/canonical.ts';
import type { Identity } from '../shared/identity.ts';
import { appliedAnnotation } from '../shared/kinds/names.ts';
import type { FieldsV1, Json, JsonObject, KubeObject } from '../shared/kubernetes.ts';
import { isOurApply } from '../shared/plan/legacy.ts';
import { itemPath, join } from '../shared/plan/owned-fields.ts';

/** One field of a live object that our Apply entry holds: a scalar, or an empty map or list. */
export interface HeldField {
  /** `spec.ports[port=80,protocol="TCP"].targetPort` */
  readonly path: string;
  /** For a JSON patch of this version of the object. */
  readonly pointer: string;
  readonly value: Json;
}

/**
 * Every field that we set, except the owner reference, which says whose the object is, and the stamp. What the server
 * adds to a map that is empty in `body` is not ours, although the entry names it as it names a whole map.
 */
export function heldFields(
  live: KubeObject,
  identity: Identity,
  body: JsonObject,
): readonly HeldField[] {
  const entry = live.metadata.managedFields?.find(isOurApply(identity));
  const fields = held(entry?.fieldsV1 ?? {}, [live, body], { path: '', pointer: '' });
  return fields.filter(
    ({ path, pointer }) =>
      !pointer.startsWith('/metadata/ownerReferences/') &&
      path !== `metadata.annotations.${appliedAnnotation}`,
  );
}

interface Place {
  readonly path: string;
  readonly pointer: string;
}

function held(
  fields: FieldsV1,
  [live, wanted]: readonly [Json | undefined, Json | undefined],
  at: Place,
): readonly HeldField[] {
  if (live === undefined) return [];
  const inner = Object.entries(fields).filter(([name]) => name !== '.');
  if (inner.length === 0) return isEmpty(wanted) && !isEmpty(live) ? [] : scalarsIn(live, at);
  return inner.flatMap(([name, below]) => {
    const found = step(name, live, at);
    if (found === undefined) return [];
    return held(below, [found.value, wanted && step(name, wanted, at)?.value], found);
  });
}

const isEmpty = (value: Json | undefined): boolean =>
  isMap(value) && Object.keys(value).length === 0;

/** Follows one name of managedFields: a field, an item by its key, or a value of a set. */
function step(
  name: string,
  live: Json,
  at: Place,
): (Place & { readonly value: Json | undefined }) | undefined {
  const rest = name.slice(2);
  if (name.startsWith('f:')) return isMap(live) ? inMap(live, rest, at) : undefined;
  if (!Array.isArray(live)) return undefined;
  const key = JSON.parse(rest) as Json;
  const isMeant = (item: Json): boolean =>
    name.startsWith('k:') && isMap(key) && isMap(item)
      ? Object.entries(key).every(([field, value]) => item[field] === value)
      : name.startsWith('v:') && canonicalJson(item) === canonicalJson(key);
  const index = live.findIndex(isMeant);
  if (index < 0) return undefined;
  const path = isMap(key)
    ? itemPath(at.path, Object.keys(key), key)
    : itemPath(at.path, [''], { '': key });
  return { path, pointer: `${at.pointer}/${index}`, value: live[index] };
}

const inMap = (live: JsonObject, field: string, at: Place) => ({
  path: join(at.path, field),
  pointer: `${at.pointer}/${escaped(field)}`,
  value: Object.hasOwn(live, field) ? live[field] : undefined,
});

/** A map or list that is held as a whole, down to its scalars. */
function scalarsIn(live: Json, at: Place): readonly HeldField[] {
  if (typeof live !== 'object' || live === null || Object.keys(live).length === 0)
    return [{ ...at, value: live }];
  if (isMap(live))
    return Object.keys(live).flatMap((field) => {
      const { value, ...place } = inMap(live, field, at);
      return value === undefined ? [] : scalarsIn(value, place);
    });
  return (live as readonly Json[]).flatMap((item, index) =>
    scalarsIn(item, { path: `${at.path}[${index}]`, pointer: `${at.pointer}/${index}` }),
  );
}

const escaped = (field: string): string => field.replaceAll('~', '~0').replaceAll('/', '~1');
