import { isIPv4, isIPv6 } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';
import { registerRegularExpressions } from './regular-expressions.ts';
import { celEqual } from './types.ts';

/** Registers the functions that Kubernetes adds to CEL: strings, regular expressions, lists, sets, `isIP`. */
export function registerFunctions(environment: Environment): void {
  registerStrings(environment);
  registerRegularExpressions(environment);
  registerLists(environment);
  registerSets(environment);
  environment.registerFunction('isIP(string): bool', isAddress);
}

const mapped = /^\[::ffff:[\da-f]+:[\da-f]+\]$/;

/** Refuses IPv6 addresses with a zone, and IPv4 addresses mapped to IPv6. */
const isAddress = (text: string): boolean =>
  isIPv4(text) ||
  (isIPv6(text) && !text.includes('%') && !mapped.test(new URL(`http://[${text}]`).hostname));

function registerStrings(environment: Environment): void {
  environment.registerFunction('string.charAt(int): string', (text: string, at: bigint) => {
    const characters = [...text];
    if (at < 0n || at > BigInt(characters.length)) throw new Error(`index out of range: ${at}`);
    return characters[Number(at)] ?? '';
  });
  environment.registerFunction(
    'string.replace(string, string): string',
    (text: string, from: string, to: string) => text.replaceAll(from, () => to),
  );
  environment.registerFunction(
    'string.replace(string, string, int): string',
    (text: string, from: string, to: string, count: bigint) =>
      count < 0n ? text.replaceAll(from, () => to) : replaceFirst(text, { from, to, count }),
  );
  environment.registerFunction('string.format(list): string', formatText);
}

function replaceFirst(
  text: string,
  { from, to, count }: { from: string; to: string; count: bigint },
): string {
  const parts = text.split(from);
  const replaced = parts.slice(0, Number(count) + 1).join(to);
  return [replaced, ...parts.slice(Number(count) + 1)].join(from);
}

function formatText(pattern: string, values: readonly unknown[]): string {
  let next = 0;
  const formatted = pattern.replace(/%(?:\.(\d+))?(.)/g, (_, digits: string | undefined, verb) => {
    if (verb === '%') return '%';
    if (next >= values.length) throw new Error(`index ${next} out of range`);
    const value = values[next];
    next += 1;
    return formatValue(value, verb, digits === undefined ? 6 : Number(digits));
  });
  return formatted;
}

function formatValue(value: unknown, verb: string, digits: number): string {
  switch (verb) {
    case 's':
      return shown(value);
    case 'd':
      return String(value);
    case 'f':
      return Number(value).toFixed(digits);
    case 'e':
      return Number(value).toExponential(digits);
    case 'b':
      return typeof value === 'boolean' ? String(Number(value)) : BigInt(String(value)).toString(2);
    case 'x':
      return typeof value === 'string' ? Buffer.from(value).toString('hex') : hex(value);
    case 'X':
      return formatValue(value, 'x', digits).toUpperCase();
    case 'o':
      return BigInt(String(value)).toString(8);
    default:
      throw new Error(`unrecognized formatting clause "${verb}"`);
  }
}

function hex(value: unknown): string {
  return BigInt(String(value)).toString(16);
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (value instanceof Date) return value.toISOString().replace(/\.000Z$/, 'Z');
  if (value instanceof Map) {
    const entries = [...value].map(([key, entry]) => `${shown(key)}: ${shown(entry)}`).sort();
    return `{${entries.join(', ')}}`;
  }
  return String(value);
}

type Values = readonly unknown[];

function registerLists(environment: Environment): void {
  environment.registerFunction('list<A>.isSorted(): bool', (list: Values) =>
    list.every((item, index) => index === 0 || compare(list[index - 1], item) <= 0),
  );
  environment.registerFunction('list<A>.sum(): A', (list: Values) => sum(list));
  environment.registerFunction('list<A>.min(): A', (list: Values) => extreme(list, 'min', -1));
  environment.registerFunction('list<A>.max(): A', (list: Values) => extreme(list, 'max', 1));
  environment.registerFunction('list<A>.indexOf(A): int', (list: Values, value: unknown) =>
    BigInt(list.findIndex((item) => celEqual(item, value))),
  );
  environment.registerFunction('list<A>.lastIndexOf(A): int', (list: Values, value: unknown) =>
    BigInt(list.findLastIndex((item) => celEqual(item, value))),
  );
  environment.registerFunction('list<A>.sort(): list<A>', (list: Values) => list.toSorted(compare));
  environment.registerFunction('list<A>.reverse(): list<A>', (list: Values) => list.toReversed());
  environment.registerFunction('list<A>.distinct(): list<A>', (list: Values) =>
    list.filter((item, index) => list.findIndex((one) => celEqual(one, item)) === index),
  );
  environment.registerFunction(
    'list<A>.slice(int, int): list<A>',
    (list: Values, start: bigint, end: bigint) => {
      if (start < 0n || start > end || end > BigInt(list.length)) {
        throw new Error(`cannot slice(${start}, ${end}), list is length ${list.length}`);
      }
      return list.slice(Number(start), Number(end));
    },
  );
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [a as number, b as number];
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

function sum(list: Values): unknown {
  const isDouble = list.some((item) => typeof item === 'number');
  if (isDouble) return list.reduce<number>((total, item) => total + Number(item), 0);
  return list.reduce<bigint>((total, item) => total + BigInt(item as bigint), 0n);
}

function extreme(list: Values, name: string, sign: number): unknown {
  if (list.length === 0) throw new Error(`${name} called on empty list`);
  return list.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

class SetFunctions {}

function registerSets(environment: Environment): void {
  const contains = (list: Values, part: Values): boolean =>
    part.every((value) => list.some((item) => celEqual(item, value)));
  environment.registerType('SetFunctions', { ctor: SetFunctions, fields: {} });
  environment.registerConstant('sets', 'SetFunctions', new SetFunctions());
  environment.registerFunction(
    'SetFunctions.contains(list<A>, list<A>): bool',
    (_, list: Values, part: Values) => contains(list, part),
  );
  environment.registerFunction(
    'SetFunctions.equivalent(list<A>, list<A>): bool',
    (_, a: Values, b: Values) => contains(a, b) && contains(b, a),
  );
  environment.registerFunction(
    'SetFunctions.intersects(list<A>, list<A>): bool',
    (_, a: Values, b: Values) => b.some((value) => contains(a, [value])),
  );
}
