import { hash } from 'node:crypto';
import { maxSelected } from './grants.ts';

const digestLength = 6;

const maxDigests = 2 * maxSelected;
/** A change of any object causes a run. */
const tooMany = '*';

export const maxDigestsLength = maxDigests * digestLength;

const shortDigestOf = (key: string): string =>
  hash('sha256', key, 'base64url').slice(0, digestLength);

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
