import { describe, expect, it } from 'vitest';
import { isMarked, marksOf, maxMarkText } from '../../shared/kinds/references/marks.ts';

describe('the digest of found objects', () => {
  const key = (at: number, type = 'configmaps') => `${type} a/x-${at}`;

  it('name these objects and no other', () => {
    const marks = marksOf([key(0), key(1), key(0)]);
    expect([0, 1, 2].map((at) => isMarked(marks, key(at)))).toEqual([true, true, false]);
    expect(isMarked(marks, key(0, 'secrets'))).toBe(false);
    expect(isMarked('', key(0))).toBe(false);
  });

  it('do not depend on the order of the lists', () => {
    expect(marksOf([key(0), key(1)])).toBe(marksOf([key(1), key(0)]));
  });

  it.each([
    [512, false],
    [513, true],
  ])('of %i objects name everything: %s', (count, all) => {
    const marks = marksOf(Array.from({ length: count }, (_, at) => key(at)));
    expect(marks.length).toBeLessThanOrEqual(maxMarkText);
    expect(isMarked(marks, key(9999))).toBe(all);
  });
});
