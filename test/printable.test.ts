import { describe, expect, it } from 'vitest';
import { nameInText, printable, truncate } from '../shared/printable.ts';

const cases = {
  Plain: {
    reason: 'plain text stays',
    given: 'größer → 2 ✓ 漢字 👩‍💻',
    want: 'größer → 2 ✓ 漢字 👩‍💻',
  },
  Lines: { reason: 'line feeds are harmless', given: 'a\nb', want: 'a\nb' },
  Colour: { reason: 'CSI would colour', given: '\u001b[31mx', want: '\\u001b[31mx' },
  Title: {
    reason: 'OSC would set the title',
    given: '\u001b]0;x\u0007',
    want: '\\u001b]0;x\\u0007',
  },
  EightBit: { reason: 'C1 has a CSI of its own', given: '\u009b2J', want: '\\u009b2J' },
  Return: {
    reason: 'the start of the line would be overwritten',
    given: 'a\rb',
    want: 'a\\u000db',
  },
  Erase: { reason: 'what was read would be erased', given: 'a\b\u007f', want: 'a\\u0008\\u007f' },
  Override: {
    reason: 'text would be read backwards',
    given: 'a\u202eb\u2066',
    want: 'a\\u202eb\\u2066',
  },
  Mark: {
    reason: 'an invisible mark of direction',
    given: '\u200fa\u061c',
    want: '\\u200fa\\u061c',
  },
  Separator: {
    reason: 'a line separator for some terminals',
    given: 'a\u2028b',
    want: 'a\\u2028b',
  },
  Surrogate: { reason: 'a lone surrogate', given: 'a\ud800', want: 'a\\ud800' },
};

describe('printable', () => {
  it.each(Object.entries(cases))('%s', (_, { reason, given, want }) => {
    expect(printable(given), reason).toBe(want);
  });

  it('leaves JSON the same value', () => {
    const value = { text: Object.values(cases).map(({ given }) => given) };
    expect(JSON.parse(printable(JSON.stringify(value, null, 2)))).toEqual(value);
  });
});

describe('truncate', () => {
  it.each([
    { reason: 'as long as it may be', given: 'abc', want: 'abc' },
    { reason: 'the ellipsis counts', given: 'abcd', want: 'ab…' },
  ])('$given: $reason', ({ given, want }) => {
    expect(truncate(given, 3)).toBe(want);
  });
});

describe('nameInText', () => {
  it.each([
    ['kubectl-client-side-apply', 'kubectl-client-side-apply'],
    ['system:serviceaccount:default:x', 'system:serviceaccount:default:x'],
    ['jane; Ingress a: x', '"jane\\u003b Ingress a: x"'],
    ['a"b', '"a\\"b"'],
    ['', '""'],
  ])('%s', (name, want) => {
    expect(nameInText(name)).toBe(want);
  });
});
