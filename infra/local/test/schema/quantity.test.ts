import { describe, expect, it } from 'vitest';
import builtIn from '../../api-server/generated/schemas.json' with { type: 'json' };
import { canonicaliseQuantities, canonicalQuantity } from '../../api-server/schema/quantities.ts';
import type { Definitions } from '../../api-server/schema/schema.ts';

const cases: Record<string, { reason: string; given: Record<string, string | undefined> }> = {
  Fractions: {
    reason: 'no digits stand behind the point',
    given: { '0.1': '100m', '1.5': '1500m', '.5': '500m', '0.0001': '100u' },
  },
  Thousands: {
    reason: 'the suffix is as large as it can be',
    given: { '1000m': '1', '1000': '1k', '1000k': '1M' },
  },
  Binary: {
    reason: 'powers of two stay powers of two',
    given: {
      '1024Mi': '1Gi',
      '10240Mi': '10Gi',
      '1.5Gi': '1536Mi',
      '1000Mi': '1000Mi',
      '512Ki': '512Ki',
    },
  },
  BelowOneUnit: {
    reason: 'unless they are too small',
    given: { '0.5Ki': '512', '0.0001Ki': '102400u' },
  },
  Exponents: {
    reason: 'exponents stay exponents',
    given: { '1e3': '1e3', '12e6': '12e6', '1e4': '10e3' },
  },
  Zero: { reason: 'zero has one form', given: { '0': '0', '0Mi': '0', '0.0': '0', '-0': '0' } },
  Signs: { reason: 'signs stay', given: { '-1000m': '-1', '+5': '+5' } },
  KeptAsWritten: {
    reason: 'the server leaves some forms alone',
    given: { '1.500': '1.500', '1.': '1.', '1500e0': '1500e0' },
  },
  TooFine: { reason: 'what is below a billionth is rounded up', given: { '0.0000000001': '1n' } },
  TooLarge: {
    reason: 'a binary amount stops at the largest number',
    given: { '9999999999Gi': '9223372036854775807' },
  },
  NotAtAll: {
    reason: 'other texts are no quantities',
    given: {
      '': undefined,
      abc: undefined,
      '1.2.3': undefined,
      '1K': undefined,
      '1 Gi': undefined,
    },
  },
};

describe.each(Object.entries(cases))('%s', (_, { reason, given }) => {
  it(reason, () => {
    const canonical = Object.keys(given).map((text) => [text, canonicalQuantity(text)]);
    expect(Object.fromEntries(canonical)).toEqual(given);
  });
});

describe('a built-in object', () => {
  const definitions = builtIn.definitions as unknown as Definitions;
  const root = definitions['io.k8s.api.core.v1.Pod'] ?? {};
  const pod = (cpu: unknown, labels = {}): object => ({
    metadata: { name: '0.1', labels },
    spec: { containers: [{ name: 'c', resources: { limits: { cpu } } }] },
  });

  it('has its quantities in canonical form, and nothing else touched', () => {
    const given = pod('0.1', { memory: '1024Mi' });
    const want = pod('100m', { memory: '1024Mi' });
    expect(canonicaliseQuantities({ root, definitions }, given)).toEqual(want);
    expect(given).toEqual(pod('0.1', { memory: '1024Mi' }));
  });

  it('may have numbers for quantities', () => {
    expect(canonicaliseQuantities({ root, definitions }, pod(2))).toEqual(pod('2'));
  });

  it('comes back itself when nothing is to do', () => {
    const given = pod('100m');
    expect(canonicaliseQuantities({ root, definitions }, given)).toBe(given);
  });

  it('is refused in the server’s words', () => {
    expect(() => canonicaliseQuantities({ root, definitions }, pod('x'))).toThrow(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  });
});
