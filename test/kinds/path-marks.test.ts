import { describe, expect, it } from 'vitest';
import { markIn, pathMark, unmarked } from '../../shared/kinds/child-types/ingress.ts';

const older = '(?!~0123456789abcdef)';

describe('a mark', () => {
  it.each([
    ['a short token is filled up', 'u', '(?!~~u-------|.*\\x3b)'],
    ['a long one is cut', '0123456789abcdef', '(?!~~01234567|.*\\x3b)'],
  ])('%s', (_, token, want) => {
    expect(pathMark(token)).toBe(want);
  });

  it('is as long as an older one, and sorts after it, so that a path is answered by the newer', () => {
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
    ['ours', pathMark('public'), `/ns/app/${pathMark('public')}(a)$`],
    ['an older one', older, `/ns/app/${older}(a)$`],
    ['none', '', '/ns/app/(a)$'],
  ])('%s is found in a pattern, and taken out', (_, mark, pattern) => {
    expect(markIn(pattern)).toBe(mark);
    expect(unmarked(pattern)).toBe('/ns/app/(a)$');
  });

  it('ends at its own bracket', () => {
    expect(unmarked(`/ns/app${older}(?:/(.*))?$`)).toBe('/ns/app(?:/(.*))?$');
  });
});
