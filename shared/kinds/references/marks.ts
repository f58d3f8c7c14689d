import { hash } from 'node:crypto';
import { maxSelected } from './grants.ts';

/** Characters by which the status remembers an object that a selector has found. */
const markLength = 6;

/** Limit of the remembered objects. Beyond it, a resource is concerned by every change. */
const maxMarks = 2 * maxSelected;
const tooMany = '*';

/** The longest text of `marksOf`. */
export const maxMarkText = maxMarks * markLength;

const markOf = (key: string): string => hash('sha256', key, 'base64url').slice(0, markLength);

/** Marks the objects that selectors have found. */
export function marksOf(keys: readonly string[]): string {
  const marks = [...new Set(keys.map(markOf))].toSorted();
  return marks.length > maxMarks ? tooMany : marks.join('');
}

/** Reports whether the object may be among those that were found. */
export function isMarked(marks: string, key: string): boolean {
  const mark = markOf(key);
  for (let at = 0; at < marks.length; at += markLength) if (marks.startsWith(mark, at)) return true;
  return marks === tooMany;
}
