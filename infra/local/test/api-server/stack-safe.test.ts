import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stackSafe } from '../../api-server/json/stack-safe.ts';
import { jsonText, sortedJsonText } from '../../api-server/json/text.ts';
import { jsonEqual } from '../../api-server/json/value.ts';

const deep = 10_000;
const nest = (levels: number, innermost: unknown): unknown =>
  JSON.parse(
    `${'{"a":['.repeat(levels / 2)}${JSON.stringify(innermost)}${']}'.repeat(levels / 2)}`,
  );

interface Tree {
  readonly children: readonly Tree[];
}

describe('a stack-safe function', () => {
  const height = stackSafe(
    ({ children }: Tree): number =>
      1 + children.reduce((most, child) => Math.max(most, height(child)), 0),
    0,
  );
  const pole = (levels: number, top: Tree): Tree => {
    let tree = top;
    for (let level = 0; level < levels; level++) tree = { children: [tree] };
    return tree;
  };

  test('returns what recursion would', () => {
    const leaf: Tree = { children: [] };
    const fork: Tree = { children: [pole(2000, leaf), pole(999, leaf), leaf] };
    expect(height(leaf)).toBe(1);
    expect(height(pole(deep, leaf))).toBe(deep + 1);
    expect(height(pole(199, fork))).toBe(199 + 1 + 2000 + 1);
    expect(height(pole(200, fork))).toBe(200 + 1 + 2000 + 1);
  });

  test('calls each part twice at most, however wide the deep value is', () => {
    let calls = 0;
    const size = stackSafe(({ children }: Tree): number => {
      calls += 1;
      return 1 + children.reduce((sum, child) => sum + size(child), 0);
    }, 0);
    const branches = Array.from({ length: 300 }, () => pole(300, { children: [] }));
    const parts = 1 + 300 * 301;
    expect(size({ children: branches })).toBe(parts);
    expect(calls).toBeLessThanOrEqual(2 * parts);
  });

  test('works after a call that threw', () => {
    const picky = stackSafe((tree: Tree): number => {
      if (tree.children.length > 1) throw new Error('forked');
      return tree.children.reduce((sum, child) => sum + picky(child), 1);
    }, 0);
    const fork: Tree = { children: [{ children: [] }, { children: [] }] };
    expect(() => picky(pole(500, fork))).toThrow('forked');
    expect(picky(pole(500, { children: [] }))).toBe(501);
  });
});

describe('JSON', () => {
  test('is written however deep it is', () => {
    const value = nest(deep, { b: 1 });
    const text = `${'{"a":['.repeat(deep / 2)}{"b":1}${']}'.repeat(deep / 2)}`;
    expect(jsonText(value) === text).toBe(true);
    expect(sortedJsonText(value) === text).toBe(true);
  });

  test('is compared however deep it is', () => {
    expect(jsonEqual(nest(deep, { b: 1 }), nest(deep, { b: 1 }))).toBe(true);
    expect(jsonEqual(nest(deep, { b: 1 }), nest(deep, { b: 2 }))).toBe(false);
  });

  test('is the same text with sorted keys for equal values alone', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [one, two]: unknown[] = [a, b].map((value) => JSON.parse(JSON.stringify(value)));
        expect(sortedJsonText(one) === sortedJsonText(two)).toBe(jsonEqual(one, two));
        expect(jsonEqual(JSON.parse(sortedJsonText(one)), one)).toBe(true);
      }),
    );
  });
});
