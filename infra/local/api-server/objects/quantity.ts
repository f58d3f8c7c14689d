import { DecodeError } from '../errors/decode-error.ts';

/** A text that is not a quantity, with the message of the server's 400. */
export class QuantityError extends DecodeError {
  override readonly name = 'QuantityError';
}

const form = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
const pattern = /^([+-]?)0*([0-9]*)(\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;

type Family = 'decimal' | 'binary' | 'exponent';

export interface Quantity {
  readonly negative: boolean;
  /** The amount is `digits` × 10 ^ `exponent`. */
  readonly digits: bigint;
  readonly exponent: number;
  readonly family: Family;
}

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes: Readonly<Record<string, number>> = {
  Ki: 10,
  Mi: 20,
  Gi: 30,
  Ti: 40,
  Pi: 50,
  Ei: 60,
};
const smallest = -9;
const largestBinary = 2n ** 63n - 1n;

/** Returns the canonical form of a quantity; throws a QuantityError for any other text. */
export function canonicalForm(text: string): string {
  const { parts, negative } = parse(text);
  return isKeptAsWritten(parts) ? text : formatQuantity(amountOf(parts, negative));
}

/** Rounds a quantity up to a power of ten; returns it unchanged if it needs no rounding. */
export function roundedUp(text: string, scale: number): string {
  const quantity = parseQuantity(text);
  if (quantity.exponent >= scale) return text;
  return formatQuantity({ ...quantity, ...roundUp(quantity, scale) });
}

/** Parses a quantity; throws a QuantityError for any other text. */
export function parseQuantity(text: string): Quantity {
  const { parts, negative } = parse(text);
  return amountOf(parts, negative);
}

function parse(text: string): { parts: Parts; negative: boolean } {
  const match = text === '' ? null : pattern.exec(text);
  if (match === null) {
    throw new QuantityError(`quantities must match the regular expression '${form}'`);
  }
  const [, sign = '', whole = '', , fraction = '', suffix = ''] = match;
  const unit = unitOf(suffix);
  // Reads no digits as zero, except before the largest suffixes, as the server does.
  if (!/[0-9]/.test(text) && unit.family === 'binary' && unit.power >= 50) {
    throw new QuantityError('unable to parse numeric part of quantity');
  }
  const parts = { whole: whole === '' ? '0' : whole, fraction, ...unit };
  return { parts, negative: sign === '-' };
}

interface Unit {
  readonly family: Family;
  /** The exponent: of two for binary suffixes, otherwise of ten. */
  readonly power: number;
}

interface Parts extends Unit {
  readonly whole: string;
  readonly fraction: string;
}

function unitOf(suffix: string): Unit {
  const decimal = decimalSuffixes[suffix];
  if (decimal !== undefined) return { family: 'decimal', power: decimal };
  const binary = binarySuffixes[suffix];
  if (binary !== undefined) return { family: 'binary', power: binary };
  // The server reads longer exponents, too, but can store none of the results.
  if (/^[eE][-+]?[0-9]{1,3}$/.test(suffix)) {
    return { family: 'exponent', power: Number(suffix.slice(1)) };
  }
  throw new QuantityError("unable to parse quantity's suffix");
}

/** Reports whether the server keeps the text as written, even if a shorter form exists. */
function isKeptAsWritten({ whole, fraction, family, power }: Parts): boolean {
  const digits = whole + fraction;
  if (family === 'binary') {
    const precision = 15 - whole.length - Math.trunc((power * 3) / 10) - 1;
    return fraction === '' && precision >= 0 && (BigInt(whole) & 7n) !== 0n;
  }
  const scale = power - fraction.length;
  const isShort = digits.length <= 18 && scale >= smallest;
  return isShort && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

function amountOf({ whole, fraction, family, power }: Parts, negative: boolean): Quantity {
  const written = BigInt(whole + fraction);
  const isBinary = family === 'binary';
  const exact = isBinary ? written << BigInt(power) : written;
  const exponent = (isBinary ? 0 : power) - fraction.length;
  const rounded = roundUp({ digits: exact, exponent }, smallest);
  const isBelowOne = rounded.digits < 10n ** BigInt(Math.max(0, -rounded.exponent));
  if (!isBinary) return { ...rounded, negative, family };
  if (isBelowOne) return { ...rounded, negative, family: 'decimal' };
  const isTooLarge = rounded.digits > largestBinary * 10n ** BigInt(-rounded.exponent);
  return isTooLarge
    ? { digits: largestBinary, exponent: 0, negative, family }
    : { ...rounded, negative, family };
}

type Amount = Pick<Quantity, 'digits' | 'exponent'>;

/** Rounds away from zero to the scale. */
function roundUp({ digits, exponent }: Amount, scale: number): Amount {
  if (exponent >= scale) return { digits, exponent };
  const divisor = 10n ** BigInt(scale - exponent);
  return { digits: (digits + divisor - 1n) / divisor, exponent: scale };
}

function formatQuantity(quantity: Quantity): string {
  const { digits, negative, family } = quantity;
  if (digits === 0n) return '0';
  const sign = negative ? '-' : '';
  const integer = family === 'binary' ? integerOf(quantity) : undefined;
  if (integer === undefined || integer < 1024n) return sign + formatDecimal(quantity);
  const { rest, count } = removeFactors(integer, 1024n);
  const suffix = Object.keys(binarySuffixes)[count - 1] ?? '';
  return `${sign}${rest}${suffix}`;
}

function integerOf({ digits, exponent }: Quantity): bigint | undefined {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

function formatDecimal({ digits, exponent, family }: Quantity): string {
  const { rest, count } = removeFactors(digits, 10n);
  const power = exponent + count;
  const shift = ((power % 3) + 3) % 3;
  const amount = rest * 10n ** BigInt(shift);
  const unit = power - shift;
  if (family === 'exponent') return unit === 0 ? `${amount}` : `${amount}e${unit}`;
  const suffix = Object.entries(decimalSuffixes).find(([, value]) => value === unit);
  return `${amount}${suffix?.[0] ?? ''}`;
}

function removeFactors(value: bigint, factor: bigint): { rest: bigint; count: number } {
  let [rest, count] = [value, 0];
  while (rest !== 0n && rest % factor === 0n) {
    rest /= factor;
    count += 1;
  }
  return { rest, count };
}

/** Compares two amounts: negative, zero or positive. */
export function compareQuantities(one: string, other: string): number {
  const [a, b] = alike(parseQuantity(one), parseQuantity(other));
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Reports whether an amount is an integer multiple of a unit. */
export function isWhole(text: string, unit = '1'): boolean {
  const [amount, of] = alike(parseQuantity(text), parseQuantity(unit));
  return of > 0n && amount % of === 0n;
}

/** Converts two amounts to the smaller of their units. */
function alike(a: Quantity, b: Quantity): [bigint, bigint] {
  const shared = Math.min(a.exponent, b.exponent);
  const amount = ({ digits, exponent, negative }: Quantity): bigint =>
    digits * 10n ** BigInt(exponent - shared) * (negative ? -1n : 1n);
  return [amount(a), amount(b)];
}
