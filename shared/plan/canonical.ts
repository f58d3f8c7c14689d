import type { Json, JsonObject } from '../kubernetes.ts';

/** JSON with the fields of every object in order: equal values have equal text. */
export function canonicalJson(value: Json | undefined): string {
  if (value === undefined) return '';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = value as JsonObject;
  let text = '';
  // A loop over sorted names: this is the hot path of a run in which nothing has changed.
  for (const name of Object.keys(fields).sort()) {
    const field = fields[name];
    if (field === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}

/** Zero values, empty lists and empty maps: what the server may drop without saying so. */
export const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);
