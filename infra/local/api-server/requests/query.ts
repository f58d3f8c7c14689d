import { badRequest, internal } from '../errors/api-errors.ts';
import { invalid } from '../errors/field-error.ts';
import { durationProblem } from '../go/duration.ts';
import { goQuote } from '../go/print.ts';

/** Reports whether a query parameter is set, as the API server reads it: unless it is absent, `0` or `false`. */
export function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && !/^false$/iu.test(value);
}

const limit = 2n ** 63n;
const unsignedLimit = 2n ** 64n;

/** Reads an integer from a query as the API server does; undefined without the parameter. An empty value is a 400. */
export function integerAt(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw unreadable(text, 'invalid syntax');
  const value = BigInt(text.replace('+', ''));
  if (value >= limit || value < -limit) throw unreadable(text, 'value out of range');
  return Number(value);
}

function unreadable(text: string, why: string) {
  return badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: ${why}`);
}

/** Reads a resourceVersion from a query; an invalid resourceVersion is a 500, except for lists. */
export function parseRevision(text: string): number {
  const isNumber = /^\d+$/.test(text);
  if (isNumber && BigInt(text) < unsignedLimit) return Number(text);
  const { field, message } = invalid(
    'resourceVersion',
    text,
    `strconv.ParseUint: parsing ${goQuote(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`,
  );
  throw internal(`${field}: ${message}`);
}

/** Refuses an invalid timeout, which a watch ignores. */
export function assertTimeout(query: URLSearchParams, verb: string | undefined): void {
  const timeout = query.get('timeout') ?? '';
  if (timeout === '' || verb === 'watch') return;
  const problem = durationProblem(timeout);
  if (problem !== undefined) {
    throw badRequest(`invalid timeout specified in the request URL - ${problem}`);
  }
}

/** Refuses `export`, a former parameter of GET. */
export function assertNoExport(query: URLSearchParams): void {
  if (!isSet(query, 'export')) return;
  throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
}
