import type { Json } from '../../kubernetes.ts';

const form =
  /^(?<sign>[+-]?)(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<unit>[numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,3})?$/;

/** Exponents of ten; those of binary units are computed. */
const exponents = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binaryUnits = 'KMGTPE';
const largestBinary = 2n ** 63n - 1n;

/** Reports whether both values are quantities and `a` is the larger one, such as 1Gi and 500Mi. */
export function isLarger(a: Json | undefined, b: Json | undefined): boolean {
  const [one, other] = [thousandths(a), thousandths(b)];
  return one !== undefined && other !== undefined && one > other;
}

/**
 * Returns the quantity in thousandths; undefined if the value is not a quantity.
 *
 * Guarantees: as exact as the server, which rounds quantities away from zero to thousandths and caps binary
 * ones at 2^63 - 1.
 */
function thousandths(value: Json | undefined): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const { sign, whole = '', fraction = '', unit = '' } = form.exec(String(value))?.groups ?? {};
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const { times, per } = factorOf(unit);
  const divisor = 10n ** BigInt(fraction.length) * per;
  const exact = BigInt(digits) * 1000n * times;
  const rounded = (exact + divisor - 1n) / divisor;
  const largest = largestBinary * 1000n;
  const amount = unit.endsWith('i') && rounded > largest ? largest : rounded;
  return sign === '-' ? -amount : amount;
}

function factorOf(unit: string): { times: bigint; per: bigint } {
  if (unit.endsWith('i'))
    return { times: 1024n ** BigInt(binaryUnits.indexOf(unit.slice(0, -1)) + 1), per: 1n };
  const power = exponents[unit as keyof typeof exponents] ?? Number(unit.slice(1));
  const factor = 10n ** BigInt(Math.abs(power));
  return power < 0 ? { times: 1n, per: factor } : { times: factor, per: 1n };
}
