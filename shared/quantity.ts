import type { Json } from './kubernetes.ts';

const form = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)([numkMGTPE]|[KMGTPE]i)?$/;
/** Powers of 1000, or of 1024 if an `i` follows. */
const powers = { n: -3, u: -2, m: -1, k: 1, K: 1, M: 2, G: 3, T: 4, P: 5, E: 6 };

/** Tolerates a rounding error of a trillionth. */
export function isLarger(a: Json | undefined, b: Json | undefined): boolean {
  const [one, other] = [amountOf(a), amountOf(b)];
  return one !== undefined && other !== undefined && one - other > Math.abs(other) * 1e-12;
}

function amountOf(value: Json | undefined): number | undefined {
  const isScalar = typeof value === 'string' || typeof value === 'number';
  const [, number, unit = ''] = (isScalar && form.exec(String(value))) || [];
  if (number === undefined) return undefined;
  const power = powers[unit.charAt(0) as keyof typeof powers] ?? 0;
  return Number(number) * (unit.endsWith('i') ? 1024 : 1000) ** power;
}
