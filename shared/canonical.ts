import type { Json, JsonObject } from './kubernetes.ts';

/** JSON with the fields of every object in order: equal values have equal text. */
export const canonicalJson = (value: Json | undefined): string =>
  JSON.stringify(ordered(value)) ?? '';

/** The hot path of a run in which nothing has changed: copied plainly, sorted only where needed. */
function ordered(value: Json | undefined): Json | undefined {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(ordered) as Json[];
  const fields = value as JsonObject;
  const names = Object.keys(fields);
  if (names.some((name, at) => at > 0 && name < (names[at - 1] ?? ''))) names.sort();
  const copy: Record<string, Json | undefined> = {};
  for (const name of names) {
    if (name === '__proto__')
      return Object.fromEntries(names.map((own) => [own, ordered(fields[own])]));
    copy[name] = ordered(fields[name]);
  }
  return copy;
}

export const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Zero values, empty lists and empty maps: what the server may drop without saying so. */
export const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);
