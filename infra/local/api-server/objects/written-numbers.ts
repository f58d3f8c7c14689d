import { randomUUID } from 'node:crypto';
import { goJson } from '../schema/json.ts';

const MAYBE_WHOLE = /\d\.0+(?!\d)|\d[eE]/;
const PLAIN = /^-?\d+$/;
/** Keys, texts and numbers of a JSON text; a text that a colon follows is a key. */
const SCALARS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*/g;

/**
 * The text read with a half for each whole number that is written as a fraction (`1.0`, `1e3`);
 * undefined if there is none. JSON.parse does not tell `1.0` from `1`, but a Go integer takes the
 * latter only: what is refused with halves is refused.
 */
export const readWithHalves = (text: string): unknown => {
  if (!MAYBE_WHOLE.test(text)) return undefined;
  let found = false;
  const halved = text.replace(SCALARS, (written, string: string | undefined) => {
    if (string !== undefined || PLAIN.test(written)) return written;
    if (!Number.isInteger(Number(written))) return written;
    found = true;
    return '0.5';
  });
  return found ? JSON.parse(halved) : undefined;
};

const MAYBE_SPELT = /[<>&\\\u2028\u2029]|\d[.eE]/;

/**
 * The text read with a value that equals nothing for each string and number that is not spelt as
 * Go's encoder does: the tests of a JSON patch compare spellings.
 */
export const readAsSpelt = (text: string): unknown => {
  if (!MAYBE_SPELT.test(text)) return JSON.parse(text);
  const spelt = text.replace(SCALARS, (written, _, colon: string | undefined) =>
    colon !== undefined || goJson(JSON.parse(written)) === written ? written : UNEQUAL,
  );
  return JSON.parse(spelt);
};

/** A text that nobody can know beforehand. */
const UNEQUAL = JSON.stringify(`spelt otherwise: ${randomUUID()}`);
