import { hash } from 'node:crypto';
import { maxSelected } from './grants.ts';

/** The number of characters of an object's digest in the status. */
const digestLength = 6;

const maxDigests = 2 * maxSelected;
/** Stands for all objects: a change of any object causes a run. */
const tooMany = '*';

export const maxDigestsLength = maxDigests * digestLength;

const shortDigestOf = (key: string): string =>
  hash('sha256', key, 'base64url').slice(0, digestLength);

/** `keys` identify the objects that a resource's selectors matched. */
export function shortDigestsOf(keys: readonly string[]): string {
  const digests = [...new Set(keys.map(shortDigestOf))].toSorted();
  return digests.length > maxDigests ? tooMany : digests.join('');
}

/** A collision only causes an unnecessary run. */
export function includesDigestOf(digests: string, key: string): boolean {
  const digest = shortDigestOf(key);
  for (let at = 0; at < digests.length; at += digestLength)
    if (digests.startsWith(digest, at)) return true;
  return digests === tooMany;
}
