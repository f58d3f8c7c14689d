import { badRequest } from '../errors/errors.ts';

const LIMIT = 2n ** 63n;

/**
 * Reads an integer of a query as the API server does; undefined where the parameter is not there.
 * An empty one is there, and no number: 400.
 */
export const integerAt = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw unreadable(text, 'invalid syntax');
  const value = BigInt(text.replace('+', ''));
  if (value >= LIMIT || value < -LIMIT) throw unreadable(text, 'value out of range');
  return Number(value);
};

const unreadable = (text: string, why: string) =>
  badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
