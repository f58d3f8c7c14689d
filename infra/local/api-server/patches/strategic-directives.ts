import { goPrint } from '../go/print.ts';
import { put } from '../json/own.ts';
import { stackSafe } from '../json/stack-safe.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { StrategicPatchError } from './patch-schema.ts';

export const directiveKey = '$patch';
export const deletePrimitivesPrefix = '$deleteFromPrimitiveList';
export const elementOrderPrefix = '$setElementOrder';
const retainKeysDirective = '$retainKeys';

export function unknownDirective(patch: JsonObject): StrategicPatchError {
  const given = patch[directiveKey];
  const shown = typeof given === 'string' ? given : `%!s(${goVerb(given)})`;
  return new StrategicPatchError(`unknown patch type: ${shown} in map: ${goPrint(patch)}`);
}

function goVerb(value: unknown): string {
  if (typeof value === 'number') return `int64=${value}`;
  return typeof value === 'boolean' ? `bool=${value}` : goPrint(value);
}

/** Returns the field that a directive such as `$setElementOrder/containers` concerns. */
export function directiveField(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  const list = prefix === deletePrimitivesPrefix ? 'primitive' : 'setElementOrder';
  throw new StrategicPatchError(`invalid patch format of ${list} list`, 400);
}

/** Removes `$retainKeys` from a patch, and the fields that it does not list from the patched map. */
export function retainKeys(map: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, retainKeysDirective)) return;
  const keys = patch[retainKeysDirective];
  delete patch[retainKeysDirective];
  const isGiven = (key: string): boolean =>
    patch[key] !== null &&
    !key.startsWith(deletePrimitivesPrefix) &&
    !key.startsWith(elementOrderPrefix);
  const isWrong =
    !Array.isArray(keys) ||
    keys.some((key) => typeof key === 'object' && key !== null) ||
    Object.keys(patch).some((key) => isGiven(key) && !keys.includes(key));
  if (isWrong) throw new StrategicPatchError('invalid patch format of retainKeys', 400);
  for (const key of Object.keys(map)) if (!keys.includes(key)) delete map[key];
}

/**
 * Removes directives and null fields from a value that is new or replaces one of another type, where they
 * have no effect. Returns undefined if the value is a directive itself.
 */
export const withoutDirectives = stackSafe((value: unknown): unknown => {
  if (Array.isArray(value)) {
    return value.map((item) => withoutDirectives(item)).filter((item) => item !== undefined);
  }
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directiveKey)) return undefined;
  const kept: JsonObject = {};
  for (const [key, field] of Object.entries(value)) {
    const rest = field === null ? undefined : withoutDirectives(field);
    if (rest !== undefined) put(kept, key, rest);
  }
  return kept;
}, undefined);
