import { goJson } from '../schema/json.ts';

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

const parseWith = (text: string, reviver: Reviver): unknown =>
  JSON.parse(text, reviver as (key: string, value: unknown) => unknown);

const MAYBE_WHOLE = /\d\.0+(?!\d)|\d[eE]/;
const PLAIN = /^-?\d+$/;

/**
 * The text read with a half for each whole number that is written as a fraction (`1.0`, `1e3`);
 * undefined if there is none. JSON.parse does not tell `1.0` from `1`, but a Go integer takes the
 * latter only: what is refused with halves is refused.
 */
export const readWithHalves = (text: string): unknown => {
  if (!MAYBE_WHOLE.test(text)) return undefined;
  let found = false;
  const read = parseWith(text, (_, value, context) => {
    const isWhole = typeof value === 'number' && Number.isInteger(value);
    if (!isWhole || PLAIN.test(context?.source ?? '1')) return value;
    found = true;
    return 0.5;
  });
  return found ? read : undefined;
};

const MAYBE_SPELT = /[<>&\\\u2028\u2029]|\d[.eE]/;

/**
 * The text read with a symbol, which equals nothing, for each string and number that is not spelt
 * as Go's encoder does: the tests of a JSON patch compare spellings.
 */
export const readAsSpelt = (text: string): unknown => {
  if (!MAYBE_SPELT.test(text)) return JSON.parse(text);
  return parseWith(text, (_, value, context) => {
    const isScalar = typeof value === 'string' || typeof value === 'number';
    return isScalar && (context?.source ?? goJson(value)) !== goJson(value) ? UNEQUAL : value;
  });
};

const UNEQUAL = Symbol('spelt otherwise');
