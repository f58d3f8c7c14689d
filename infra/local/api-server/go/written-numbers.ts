import { randomUUID } from 'node:crypto';
import { goJson } from './print.ts';

const maybeWhole = /\d\.0+(?!\d)|\d[eE]/;
const plain = /^-?\d+$/;
/** Keys, texts and numbers of a JSON text; a text that a colon follows is a key. */
const scalars = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*/g;

/**
 * The text read with a half for each whole number that is written as a fraction (`1.0`, `1e3`);
 * undefined if there is none. JSON.parse does not distinguish `1.0` from `1`, but a Go integer takes the
 * latter only: what is refused with halves is refused.
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
 * The text read with a value that equals nothing for each string and number that is not spelt as
 * Go's encoder does: the tests of a JSON patch compare spellings.
 */
export function readAsSpelt(text: string): unknown {
  if (!maybeSpelt.test(text)) return JSON.parse(text);
  const spelt = text.replace(scalars, (written, _, colon: string | undefined) =>
    colon !== undefined || goJson(JSON.parse(written)) === written ? written : unequal,
  );
  return JSON.parse(spelt);
}

/** A text that no client can predict. */
const unequal = JSON.stringify(`spelt otherwise: ${randomUUID()}`);
