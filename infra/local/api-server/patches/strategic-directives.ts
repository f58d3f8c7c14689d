import { goPrint } from '../objects/go-print.ts';
import { isMap, type JsonMap } from '../objects/object.ts';
import { put } from '../objects/own.ts';
import { stackSafe } from '../objects/stack-safe.ts';
import { StrategicPatchError } from './strategic-patch-error.ts';

export const DIRECTIVE = '$patch';
export const DELETE_PRIMITIVES = '$deleteFromPrimitiveList';
export const ELEMENT_ORDER = '$setElementOrder';
const RETAIN_KEYS = '$retainKeys';

export const unknownDirective = (patch: JsonMap): StrategicPatchError => {
  const given = patch[DIRECTIVE];
  const shown = typeof given === 'string' ? given : `%!s(${goVerb(given)})`;
  return new StrategicPatchError(`unknown patch type: ${shown} in map: ${goPrint(patch)}`);
};

const goVerb = (value: unknown): string => {
  if (typeof value === 'number') return `int64=${value}`;
  return typeof value === 'boolean' ? `bool=${value}` : goPrint(value);
};

/** The field that a directive such as `$setElementOrder/containers` is about. */
export const fieldOf = (key: string, prefix: string): string => {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  const list = prefix === DELETE_PRIMITIVES ? 'primitive' : 'setElementOrder';
  throw new StrategicPatchError(`invalid patch format of ${list} list`, 400);
};

/** Takes `$retainKeys` out of a patch, and out of the patched map what it does not name. */
export const retainKeys = (map: JsonMap, patch: JsonMap): void => {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const keys = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  const isGiven = (key: string): boolean =>
    patch[key] !== null && !key.startsWith(DELETE_PRIMITIVES) && !key.startsWith(ELEMENT_ORDER);
  const isWrong =
    !Array.isArray(keys) ||
    keys.some((key) => typeof key === 'object' && key !== null) ||
    Object.keys(patch).some((key) => isGiven(key) && !keys.includes(key));
  if (isWrong) throw new StrategicPatchError('invalid patch format of retainKeys', 400);
  for (const key of Object.keys(map)) if (!keys.includes(key)) delete map[key];
};

/**
 * What is put where nothing was, or something of another kind: there is nothing to direct. Undefined
 * if the value itself is a directive; null fields are left out.
 */
export const withoutDirectives = stackSafe((value: unknown): unknown => {
  if (Array.isArray(value)) {
    return value.map((item) => withoutDirectives(item)).filter((item) => item !== undefined);
  }
  if (!isMap(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const kept: JsonMap = {};
  for (const [key, field] of Object.entries(value)) {
    const rest = field === null ? undefined : withoutDirectives(field);
    if (rest !== undefined) put(kept, key, rest);
  }
  return kept;
}, undefined);
