import { describe, expect, it } from 'vitest';
import { markerIn, pathMarker, withoutMarker } from '../../shared/kinds/child-types/ingress.ts';

const older = '(?!~0123456789abcdef)';

describe('a marker', () => {
  it.each([
    ['pads a short token', 'u', '(?!~~u-------|.*\\x3b)'],
    ['cuts a long token', '0123456789abcdef', '(?!~~01234567|.*\\x3b)'],
  ])('%s', (_, token, want) => {
    expect(pathMarker(token)).toBe(want);
  });

  it('is as long as an older one and sorts after it, so that the newer one serves a path', () => {
    const marker = pathMarker('u');
    expect(marker).toHaveLength(older.length);
    expect(marker > older).toBe(true);
  });

  it('refuses a semicolon anywhere, and nothing else', () => {
    const pattern = new RegExp(`^/app${pathMarker('u')}(?:/(.*))?$`);
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
    ['our marker', pathMarker('public'), `/ns/app/${pathMarker('public')}(a)$`],
    ['an older marker', older, `/ns/app/${older}(a)$`],
    ['no marker', '', '/ns/app/(a)$'],
  ])('is found in a pattern and removed: %s', (_, marker, pattern) => {
    expect(markerIn(pattern)).toBe(marker);
    expect(withoutMarker(pattern)).toBe('/ns/app/(a)$');
  });

  it('ends at its own closing bracket', () => {
    expect(withoutMarker(`/ns/app${older}(?:/(.*))?$`)).toBe('/ns/app(?:/(.*))?$');
  });
});
