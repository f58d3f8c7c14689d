import { randomUUID } from 'node:crypto';
import { goJson } from './print.ts';

const maybeWhole = /\d\.0+(?!\d)|\d[eE]/;
const plain = /^-?\d+$/;
/** Matches keys, strings and numbers of a JSON text; a string before a colon is a key. */
const scalars = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*/g;

/**
 * Parses the text with 0.5 added to each whole number that is written as a fraction (`1.0`, `1e3`); undefined
 * if there is none. JSON.parse does not tell `1.0` from `1`, but a Go integer accepts only `1`. A text that
 * is refused with these halves is refused as written.
 */
export function readWithHalves(text: string): unknown {
  if (!maybeWhole.test(text)) return undefined;
  let found = false;
  const halved = text.replace(scalars, (written, string: string | undefined) => {
    if (string !== undefined || plain.test(written)) return written;
    if (!Number.isInteger(Number(written))) return written;
    found = true;
    return '0.5';
  });
  return found ? JSON.parse(halved) : undefined;
}

const maybeSpelt = /[<>&\\\u2028\u2029]|\d[.eE]/;

/**
 * Parses the text, with a unique value for each string and number that is not written as Go's encoder would
 * write it: the tests of a JSON patch compare spellings.
 */
export function readAsSpelt(text: string): unknown {
  if (!maybeSpelt.test(text)) return JSON.parse(text);
  const spelt = text.replace(scalars, (written, _, colon: string | undefined) =>
    colon !== undefined || goJson(JSON.parse(written)) === written ? written : unequal,
  );
  return JSON.parse(spelt);
}

/** A text that no client can guess. */
const unequal = JSON.stringify(`spelt otherwise: ${randomUUID()}`);
