import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  containerName,
  dnsLabel,
  labelValue,
  statefulSetName,
  workloadName,
} from '../../shared/kinds/names.ts';
import { casesOf } from '../support/cases.ts';

const rules = {
  labelValue: { make: labelValue, legal: /^([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?$/ },
  workloadName: {
    make: workloadName,
    legal: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
  },
  dnsLabel: { make: dnsLabel, legal: /^[a-z]([a-z0-9-]*[a-z0-9])?$/ },
  containerName: { make: containerName, legal: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/ },
  statefulSetName: { make: statefulSetName, legal: /^(?=.{1,52}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/ },
};

/** Makes names that a custom resource can have: DNS-1123 subdomains, many of them similar. */
const part = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
const resourceName = fc
  .oneof(
    fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.')),
    fc.stringMatching(/^[0-9]{1,4}$/),
    part.map((text) => text.padEnd(63, 'a').repeat(2)),
  )
  .filter((name) => name.length <= 253 && !/^-|-$|\.\.|-\.|\.-/.test(name));

describe.each(Object.entries(rules))('C-12 %s', (_, { make, legal }) => {
  it('is always legal', () => {
    fc.assert(
      fc.property(resourceName, (name) => {
        const made = make(name);
        expect(made).toMatch(legal);
        expect(made.length).toBeLessThanOrEqual(63);
        expect(made).not.toBe('');
      }),
    );
  });

  it('is legal for any other text, too', () => {
    const strings = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[aA9._-]{0,70}$/));
    fc.assert(
      fc.property(strings, (text) => {
        expect(make(text)).toMatch(legal);
      }),
    );
  });

  it('is the name itself if that is legal', () => {
    fc.assert(
      fc.property(resourceName, (name) => {
        if (legal.test(name) && name.length <= 63) expect(make(name)).toBe(name);
      }),
    );
  });

  it('differs for another name', () => {
    fc.assert(
      fc.property(fc.uniqueArray(resourceName, { minLength: 2, maxLength: 40 }), (names) => {
        expect(new Set(names.map(make)).size).toBe(names.length);
      }),
      { numRuns: 30 },
    );
  });

  it('is stable', () => {
    fc.assert(fc.property(resourceName, (name) => make(name) === make(`${name}`)));
  });
});

const cases: Record<string, { reason: string; given: string; want: [string, string, string] }> = {
  Plain: { reason: 'legal everywhere', given: 'shop', want: ['shop', 'shop', 'shop'] },
  Longest: {
    reason: '63 characters are legal',
    given: 'a'.repeat(63),
    want: ['a'.repeat(63), 'a'.repeat(63), 'a'.repeat(63)],
  },
  OneMore: {
    reason: '64 characters are not legal',
    given: 'a'.repeat(64),
    want: [
      `${'a'.repeat(52)}_ffe054fe7a`,
      `${'a'.repeat(52)}-ffe054fe7a`,
      `${'a'.repeat(52)}-ffe054fe7a`,
    ],
  },
  OnlyDigits: {
    reason: 'a DNS label keeps only the hash',
    given: '123',
    want: ['123', '123', 'xa665a45920'],
  },
  CutAtDash: {
    reason: 'truncation must not leave a trailing dash or dot',
    given: `${'a'.repeat(51)}.${'b'.repeat(20)}`,
    want: [
      `${'a'.repeat(51)}_a8c1068876`,
      `${'a'.repeat(51)}-a8c1068876`,
      `${'a'.repeat(51)}-a8c1068876`,
    ],
  },
};

describe('C-12 a label value with a hash', () => {
  it('is not the name of another object, so that no two share a selector', () => {
    const long = resourceName.filter((name) => name.length > 63);
    fc.assert(fc.property(long, (name) => !objectName.test(labelValue(name))));
    expect(labelValue('-')).not.toMatch(objectName);
  });
});

/** Matches a DNS-1123 subdomain, as the names of all resources are. */
const objectName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

describe('names', () => {
  it.each(casesOf(cases))('C-12 %s', (_, { given, want }) => {
    expect([labelValue(given), workloadName(given), dnsLabel(given)]).toEqual(want);
  });
});
