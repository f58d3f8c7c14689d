import { hash } from 'node:crypto';
import { maxSelected } from './grants.ts';

/** Characters of hash by which the status remembers one object. */
const markLength = 6;

/** Limit of remembered objects. Beyond it, `*` stands for all: every change of any object concerns the resource. */
const maxMarks = 2 * maxSelected;
const tooMany = '*';

/** Maximum length of what `marksOf` returns. */
export const maxMarkText = maxMarks * markLength;

const markOf = (key: string): string => hash('sha256', key, 'base64url').slice(0, markLength);

/** Hashes the keys of the objects that a resource's selectors matched, to be stored in its status. */
export function marksOf(keys: readonly string[]): string {
  const marks = [...new Set(keys.map(markOf))].toSorted();
  return marks.length > maxMarks ? tooMany : marks.join('');
}

/** Reports whether the object may have matched. Hash collisions can only cause an unnecessary run. */
export function isMarked(marks: string, key: string): boolean {
  const mark = markOf(key);
  for (let at = 0; at < marks.length; at += markLength) if (marks.startsWith(mark, at)) return true;
  return marks === tooMany;
}
