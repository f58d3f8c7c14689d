import { describe, expect, it, test } from 'vitest';
import { nameInText, printable, truncate, withoutSeparators } from '../shared/printable.ts';
import { casesOf } from './support/cases.ts';

const cases = {
  Plain: {
    reason: 'plain text is unchanged',
    given: 'größer → 2 ✓ 漢字 👩‍💻',
    want: 'größer → 2 ✓ 漢字 👩‍💻',
  },
  Lines: { reason: 'line feeds are harmless', given: 'a\nb', want: 'a\nb' },
  Colour: {
    reason: 'a CSI sequence would change the colour',
    given: '\u001b[31mx',
    want: '\\u001b[31mx',
  },
  Title: {
    reason: 'an OSC sequence would set the window title',
    given: '\u001b]0;x\u0007',
    want: '\\u001b]0;x\\u0007',
  },
  EightBit: { reason: 'C1 contains an 8-bit CSI', given: '\u009b2J', want: '\\u009b2J' },
  Return: {
    reason: 'a carriage return would overwrite the start of the line',
    given: 'a\rb',
    want: 'a\\u000db',
  },
  Erase: {
    reason: 'backspace and delete would erase text',
    given: 'a\b\u007f',
    want: 'a\\u0008\\u007f',
  },
  Override: {
    reason: 'an override would show text backwards',
    given: 'a\u202eb\u2066',
    want: 'a\\u202eb\\u2066',
  },
  Mark: {
    reason: 'a direction mark is invisible',
    given: '\u200fa\u061c',
    want: '\\u200fa\\u061c',
  },
  Invisible: {
    reason: 'an invisible character makes two names look alike',
    given: 'a\u200b\u00ad\ufeff\u3164\u{e0041}b',
    want: 'a\\u200b\\u00ad\\ufeff\\u3164\\udb40\\udc41b',
  },
  Separator: {
    reason: 'some terminals break the line here',
    given: 'a\u2028b',
    want: 'a\\u2028b',
  },
  Surrogate: { reason: 'a lone surrogate is not valid text', given: 'a\ud800', want: 'a\\ud800' },
};

describe('printable', () => {
  it.each(casesOf(cases))('%s', (_, { given, want }) => {
    expect(printable(given)).toBe(want);
  });

  it('keeps the value of JSON text', () => {
    const value = { text: Object.values(cases).map(({ given }) => given) };
    expect(JSON.parse(printable(JSON.stringify(value, null, 2)))).toEqual(value);
  });
});

describe('truncate', () => {
  it.each([
    { reason: 'the maximum length is kept', given: 'abc', want: 'abc' },
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
    ['a\u202eb', '"a\\u202eb"'],
    ['', '""'],
  ])('%s', (name, want) => {
    expect(nameInText(name)).toBe(want);
  });
});

test('withoutSeparators keeps our separator, and what would steer a terminal, out of a text', () => {
  expect(withoutSeparators('a; b\u202e\u001b')).toBe('a, b\\u202e\\u001b');
});

test('withoutSeparators shows in one line why Kyverno denied a request', () => {
  const denied =
    'admission webhook "validate.kyverno.svc-fail" denied the request: \n\n' +
    'resource Deployment/team/beta was blocked due to the following policies \n\n' +
    "require-owner:\n  check-owner: 'validation error: label ''owner'' is required'\n";
  expect(withoutSeparators(denied)).toBe(
    'admission webhook "validate.kyverno.svc-fail" denied the request: ' +
      'resource Deployment/team/beta was blocked due to the following policies ' +
      "require-owner: check-owner: 'validation error: label ''owner'' is required'",
  );
});
