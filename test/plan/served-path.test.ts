import { describe, expect, it } from 'vitest';
import { servedPathOf } from '../../shared/plan/exposure/served-path.ts';
import { pattern } from '../support/router.ts';

describe('servedPathOf', () => {
  it.each([
    ['the root', pattern('/'), '/ns/app'],
    ['a path', pattern('/a'), '/ns/app/a'],
    ['a deeper one', pattern('/a/b-c/d_1'), '/ns/app/a/b-c/d_1'],
    ['with escaped dots', '/ns/my\\.app/(a\\.b(?:/.*)?)$', '/ns/my\\.app/a\\.b'],
  ])('is the path of a pattern that our kinds write: %s', (_, text, want) => {
    expect(servedPathOf(text)).toBe(want);
  });

  it.each([
    ['a plain prefix', '/ns/app'],
    ['anything', '/.*'],
    ['a dot that matches any character', '/ns/app/(a.b(?:/.*)?)$'],
    ['a segment of any text', '/ns/app/(.*(?:/.*)?)$'],
    ['a pattern without an end, which matches words that begin alike', '/ns/app(?:/(.*))?'],
    ['a path without an end', '/ns/app/(a(?:/.*)?)'],
    ['a prefix before the pattern', `x${pattern('/')}`],
    ['a prefix before the pattern of a path', `x${pattern('/a')}`],
    ['a suffix after the pattern', `${pattern('/')}|.*`],
    ['a suffix after the pattern of a path', `${pattern('/a')}|.*`],
    ['a pattern with one segment too few', '/app(?:/(.*))?$'],
    ['a root pattern with one segment too many', '/ns/app/a(?:/(.*))?$'],
    ['an empty segment', '/ns/app/(a//b(?:/.*)?)$'],
    ['an alternative', '/ns/app/(a|b(?:/.*)?)$'],
  ])('is undefined for a pattern that may match any request: %s', (_, text) => {
    expect(servedPathOf(text)).toBeUndefined();
  });
});
