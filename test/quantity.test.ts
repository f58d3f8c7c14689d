import { canonicalQuantity } from '@serverless-reconciler/local-cluster/quantities';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../shared/kubernetes.ts';
import { isLarger } from '../shared/quantity.ts';
import { casesOf } from './support/cases.ts';

const isAmount = (value: Json | undefined): boolean => isLarger('1e300', value);
const isSameQuantity = (a: Json | undefined, b: Json | undefined): boolean =>
  isAmount(a) && isAmount(b) && !isLarger(a, b) && !isLarger(b, a);

const amounts: Record<string, { reason: string; a: Json | undefined; b: Json; want: boolean }> = {
  Binary: {
    reason: '1024 of a binary unit are one of the next',
    a: '1024Mi',
    b: '1Gi',
    want: true,
  },
  Bytes: {
    reason: 'a number without a unit is equal to its multiple with one',
    a: '1073741824',
    b: '1Gi',
    want: true,
  },
  BinaryFraction: {
    reason: 'binary units may have fractions',
    a: '1.5Gi',
    b: '1536Mi',
    want: true,
  },
  Milli: { reason: '0.5 is 500m', a: '0.5', b: '500m', want: true },
  NoZero: { reason: 'digits before the point are enough', a: '.5', b: '500m', want: true },
  Point: { reason: 'digits after the point are enough', a: '5.', b: '5', want: true },
  Exponent: { reason: 'an exponent may replace a unit', a: '1e3', b: '1k', want: true },
  UpperExponent: { reason: 'E followed by digits is an exponent', a: '1E3', b: '1k', want: true },
  Exa: { reason: 'E alone is a unit', a: '1E', b: '1e18', want: true },
  SignedExponent: { reason: 'an exponent may have a sign', a: '1e+3', b: '1000e0', want: true },
  NegativeExponent: { reason: 'an exponent may have a sign', a: '1e-3', b: '1m', want: true },
  Largest: {
    reason: 'a large number in digits is exact',
    a: '1E',
    b: `1${'0'.repeat(18)}`,
    want: true,
  },
  AllBinary: { reason: 'each unit is known', a: '1Ei', b: `${2 ** 20}Ti`, want: true },
  Peta: { reason: 'each unit is known', a: '1Pi', b: `${2 ** 40}Ki`, want: true },
  AllDecimal: { reason: 'each unit is known', a: '1P', b: '1000000000M', want: true },
  TeraGiga: { reason: 'each unit is known', a: '1T', b: '1000G', want: true },
  Integer: { reason: 'an integer in JSON equals its text', a: 2, b: '2', want: true },
  Fraction: { reason: 'a fraction in JSON equals its text', a: 0.5, b: '500m', want: true },
  LargeNumber: {
    reason: 'a number as JavaScript formats it is equal to its text',
    a: 1e21,
    b: '1000E',
    want: true,
  },
  Plus: { reason: 'a plus sign does not matter', a: '+1', b: '1', want: true },
  Minus: { reason: 'a minus sign matters', a: '-1', b: '1', want: false },
  MinusZero: { reason: 'zero and minus zero are equal', a: '-0', b: '0Mi', want: true },
  Micro: { reason: 'small units are converted', a: '2000u', b: '2m', want: true },
  Nano: { reason: 'nano is the smallest unit', a: '1000n', b: '1u', want: true },
  Other: { reason: 'decimal and binary units differ', a: '1G', b: '1Gi', want: false },
  NoQuantity: {
    reason: 'a word is no quantity',
    a: 'x',
    b: 'x',
    want: false,
  },
  NoUnit: { reason: 'an unknown unit is no quantity', a: '1Zi', b: '1', want: false },
  NoDigits: { reason: 'an empty string is no quantity', a: '', b: '0', want: false },
  OnlyUnit: { reason: 'a unit alone is no quantity', a: 'k', b: '0', want: false },
  Prefixed: {
    reason: 'a quantity with text after it is no quantity',
    a: 'x5',
    b: '5',
    want: false,
  },
  List: {
    reason: 'a list is no quantity, although its text is that of its only item',
    a: [5],
    b: '5',
    want: false,
  },
  Absent: { reason: 'undefined is no quantity', a: undefined, b: '0', want: false },
  Endless: {
    reason: 'a huge exponent does not hang',
    a: '1e99999999',
    b: '1',
    want: false,
  },
};

describe('isSameQuantity', () => {
  it.each(casesOf(amounts))('%s', (_, { a, b, want }) => {
    expect(isSameQuantity(a, b)).toBe(want);
    expect(isSameQuantity(b, a)).toBe(want);
  });

  const unit = fc.constantFrom('', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e2');
  const written = fc
    .tuple(fc.nat(99_999), fc.option(fc.nat(999)), unit)
    .map(([whole, fraction, suffix]) =>
      fraction === null ? `${whole}${suffix}` : `${whole}.${fraction}${suffix}`,
    );

  it('is true for any quantity and the form that the server stores', () => {
    fc.assert(
      fc.property(written, (text) => isSameQuantity(text, canonicalQuantity(text) ?? 'none')),
    );
  });

  it('is false for a quantity and a larger one', () => {
    const isAmountSame = (n: number, suffix: string) =>
      isSameQuantity(`${n}${suffix}`, `${n + 1000}${suffix}`);
    fc.assert(fc.property(fc.nat(99_999), unit, (n, suffix) => !isAmountSame(n, suffix)));
  });
});
