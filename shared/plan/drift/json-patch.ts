import { canonicalJson, isMap } from '../../canonical.ts';
import { pointerToken } from '../../json.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';

/** A path in an object: field names and list indexes. */
export type Place = readonly (string | number)[];

/** Sets the value at a place; undefined removes it. */
export function withValueAt(object: Json, [step, ...rest]: Place, value: Json | undefined): Json {
  if (step === undefined) return value as Json;
  if (Array.isArray(object)) {
    const items = object.map((item: Json, index) =>
      index === step ? withValueAt(item, rest, value) : item,
    );
    return items.filter((item) => item !== undefined);
  }
  if (!isMap(object)) return object;
  const { [step]: inner, ...others } = object;
  const next =
    rest.length === 0 ? value : inner === undefined ? inner : withValueAt(inner, rest, value);
  return next === undefined ? others : { ...object, [step]: next };
}

/** The JSON patch from one value to another: lists are replaced as a whole. */
export function patchBetween(
  from: Json | undefined,
  to: Json | undefined,
  path = '',
): readonly JsonObject[] {
  if (canonicalJson(from) === canonicalJson(to)) return [];
  if (to === undefined) return [{ op: 'remove', path }];
  if (from === undefined) return [{ op: 'add', path, value: to }];
  if (!isMap(from) || !isMap(to)) return [{ op: 'replace', path, value: to }];
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
    patchBetween(from[name], to[name], `${path}/${pointerToken(name)}`),
  );
}
