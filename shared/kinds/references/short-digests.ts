import { hash } from 'node:crypto';
import { maxSelected } from './grants.ts';

/** Characters of the digest by which the status remembers one object. */
const digestLength = 6;

/** Limit of remembered objects. Beyond it, `*` stands for all: every change of any object concerns the resource. */
const maxDigests = 2 * maxSelected;
const tooMany = '*';

/** Maximum length of what `shortDigestsOf` returns. */
export const maxDigestsLength = maxDigests * digestLength;

const shortDigestOf = (key: string): string =>
  hash('sha256', key, 'base64url').slice(0, digestLength);

/** Returns short digests of the keys of the objects that a resource's selectors matched, to be stored in its status. */
export function shortDigestsOf(keys: readonly string[]): string {
  const digests = [...new Set(keys.map(shortDigestOf))].toSorted();
  return digests.length > maxDigests ? tooMany : digests.join('');
}

/** Reports whether the object may have matched. Collisions can only cause an unnecessary run. */
export function includesDigestOf(digests: string, key: string): boolean {
  const digest = shortDigestOf(key);
  for (let at = 0; at < digests.length; at += digestLength)
    if (digests.startsWith(digest, at)) return true;
  return digests === tooMany;
}
