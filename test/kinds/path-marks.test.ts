import { describe, expect, it } from 'vitest';
import { markIn, pathMark, unmarked } from '../../shared/kinds/child-types/ingress.ts';

const older = '(?!~0123456789abcdef)';

describe('a mark', () => {
  it.each([
    ['pads a short token', 'u', '(?!~~u-------|.*\\x3b)'],
    ['cuts a long token', '0123456789abcdef', '(?!~~01234567|.*\\x3b)'],
  ])('%s', (_, token, want) => {
    expect(pathMark(token)).toBe(want);
  });

  it('is as long as an older one and sorts after it, so that the newer one serves a path', () => {
    const mark = pathMark('u');
    expect(mark).toHaveLength(older.length);
    expect(mark > older).toBe(true);
  });

  it('refuses a semicolon anywhere, and nothing else', () => {
    const pattern = new RegExp(`^/app${pathMark('u')}(?:/(.*))?$`);
    expect(['/app', '/app/', '/app/a/b'].map((path) => pattern.test(path))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['/app;x', '/app/a;x', '/app/a/b;'].map((path) => pattern.test(path))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each([
    ['our mark', pathMark('public'), `/ns/app/${pathMark('public')}(a)$`],
    ['an older mark', older, `/ns/app/${older}(a)$`],
    ['no mark', '', '/ns/app/(a)$'],
  ])('is found in a pattern and removed: %s', (_, mark, pattern) => {
    expect(markIn(pattern)).toBe(mark);
    expect(unmarked(pattern)).toBe('/ns/app/(a)$');
  });

  it('ends at its own closing bracket', () => {
    expect(unmarked(`/ns/app${older}(?:/(.*))?$`)).toBe('/ns/app(?:/(.*))?$');
  });
});
