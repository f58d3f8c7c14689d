import type { Environment } from '@marcbachmann/cel-js';
import { parseQuantity, QuantityError } from '../objects/quantity.ts';

// CEL identifies values of a type by their constructor.
class Quantity {
  /** In billionths, the smallest unit of any quantity. */
  readonly billionths: bigint;

  constructor(billionths: bigint) {
    this.billionths = billionths;
  }
}

const unit = 10n ** 9n;

function quantity(text: string): Quantity {
  const { negative, digits, exponent } = parseQuantity(text);
  const billionths = digits * 10n ** BigInt(exponent + 9);
  return new Quantity(negative ? -billionths : billionths);
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

function signOf(value: bigint): bigint {
  if (value === 0n) return 0n;
  return value < 0n ? -1n : 1n;
}

/** Registers `quantity()`, `isQuantity()`, `sign()` and the methods of quantities. */
export function registerQuantities(environment: Environment): void {
  environment.registerType('Quantity', { ctor: Quantity, fields: {} });
  environment.registerOperator(
    'Quantity == Quantity',
    (a: Quantity, b: Quantity) => a.billionths === b.billionths,
  );
  const register = (signature: string, handler: (...args: never[]) => unknown): void => {
    environment.registerFunction(signature, handler as (...args: unknown[]) => unknown);
  };
  const whole = ({ billionths }: Quantity): bigint => {
    if (billionths % unit !== 0n) throw new Error('cannot convert value to integer');
    return billionths / unit;
  };
  register('quantity(string): Quantity', quantity);
  register('isQuantity(string): bool', isQuantity);
  register('sign(Quantity): int', (a: Quantity) => signOf(a.billionths));
  register('Quantity.isInteger(): bool', (a: Quantity) => a.billionths % unit === 0n);
  register('Quantity.asInteger(): int', whole);
  register('Quantity.asApproximateFloat(): double', (a: Quantity) => Number(a.billionths) / 1e9);
  const difference = (a: Quantity, b: Quantity): bigint => a.billionths - b.billionths;
  register(
    'Quantity.isLessThan(Quantity): bool',
    (a: Quantity, b: Quantity) => difference(a, b) < 0n,
  );
  register(
    'Quantity.isGreaterThan(Quantity): bool',
    (a: Quantity, b: Quantity) => difference(a, b) > 0n,
  );
  register('Quantity.compareTo(Quantity): int', (a: Quantity, b: Quantity) =>
    signOf(difference(a, b)),
  );
  const plus = (a: Quantity, billionths: bigint): Quantity =>
    new Quantity(a.billionths + billionths);
  register('Quantity.add(Quantity): Quantity', (a: Quantity, b: Quantity) => plus(a, b.billionths));
  register('Quantity.add(int): Quantity', (a: Quantity, b: bigint) => plus(a, b * unit));
  register('Quantity.sub(Quantity): Quantity', (a: Quantity, b: Quantity) =>
    plus(a, -b.billionths),
  );
  register('Quantity.sub(int): Quantity', (a: Quantity, b: bigint) => plus(a, -b * unit));
}
