import { describe, expect, it } from 'vitest';
import {
  includesDigestOf,
  maxDigestsLength,
  shortDigestsOf,
} from '../../shared/kinds/references/short-digests.ts';

describe('the digest of found objects', () => {
  const key = (at: number, type = 'configmaps') => `${type} a/x-${at}`;

  it('name these objects and no other', () => {
    const digests = shortDigestsOf([key(0), key(1), key(0)]);
    expect([0, 1, 2].map((at) => includesDigestOf(digests, key(at)))).toEqual([true, true, false]);
    expect(includesDigestOf(digests, key(0, 'secrets'))).toBe(false);
    expect(includesDigestOf('', key(0))).toBe(false);
  });

  it('do not depend on the order of the lists', () => {
    expect(shortDigestsOf([key(0), key(1)])).toBe(shortDigestsOf([key(1), key(0)]));
  });

  it.each([
    [512, false],
    [513, true],
  ])('of %i objects name everything: %s', (count, all) => {
    const digests = shortDigestsOf(Array.from({ length: count }, (_, at) => key(at)));
    expect(digests.length).toBeLessThanOrEqual(maxDigestsLength);
    expect(includesDigestOf(digests, key(9999))).toBe(all);
  });
});
