import { hash } from 'node:crypto';
import { maxSelected } from './grants.ts';

/** Number of characters in the mark of one object. */
const markLength = 6;

/** Limit of marked objects. Beyond it, every change of an object concerns the resource. */
const maxMarks = 2 * maxSelected;
const tooMany = '*';

/** The longest text of `marksOf`. */
export const maxMarkText = maxMarks * markLength;

const markOf = (key: string): string => hash('sha256', key, 'base64url').slice(0, markLength);

/** Returns marks by which the status remembers the objects that selectors have found. */
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
