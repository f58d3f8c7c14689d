import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import type { HeldField } from './held-fields.ts';

export type How = 'changed' | 'removed';

/** Returns JSON patches to try until the API server accepts one. */
export const patchesOf = (
  { pointer, value, isDropped }: HeldField,
  how: How,
): readonly JsonObject[] =>
  how === 'removed'
    ? [{ op: 'remove', path: pointer }]
    : otherValues(value).map((other) => ({
        op: isDropped ? 'add' : 'replace',
        path: pointer,
        value: other,
      }));

/** Returns values to try in place of `value`. Most fields accept at least one of them. */
function otherValues(value: Json): readonly Json[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value - 1, value + 10];
  if (typeof value === 'string')
    return [`${value}-changed`, ...likely].filter((other) => other !== value);
  return Array.isArray(value) ? [[{}], ['changed']] : [];
}

/** Strings to try: valid labels, base64, quantities, schedules and paths, then values of common enumerations. */
const likely: readonly string[] = [
  'changed',
  'Y2hhbmdlZA==',
  '7',
  '0 7 * * *',
  '/changed',
  'UDP',
  'NodePort',
  'ClusterIP',
  'ClientIP',
  'Never',
  'OnFailure',
  'Exact',
  'Prefix',
  'HTTPS',
  'Parallel',
  'OnDelete',
  'Recreate',
  'Forbid',
  'Egress',
  'Ingress',
  'ReadWriteMany',
];
