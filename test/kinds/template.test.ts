import { describe, expect, it, test } from 'vitest';
import { child, rollOnChange, secret, secretValue, template } from '../../index.ts';
import { filled, partsOf, type Template } from '../../shared/kinds/references/template.ts';

const base64 = (value: string | Buffer): string => Buffer.from(value).toString('base64');
const db = { name: 'db', digest: 'd' };
const password = secretValue(db, 'password');
const fill = (one: Parameters<typeof partsOf>[0], value: string | Buffer) =>
  filled(partsOf(one), () => base64(value));

describe('a template', () => {
  it('is data that names its values', () => {
    expect(template`a${password}b${7}${'c'}`).toEqual({
      parts: ['a', { secret: 'db', key: 'password', digest: 'd' }, 'b', '7', '', 'c', ''],
    });
    expect(secretValue({ name: 'db', namespace: 'other' }, 'k', 'uri')).toEqual({
      secret: 'db',
      namespace: 'other',
      key: 'k',
      as: 'uri',
    });
  });

  it.each<[string, Template | typeof password, string, string]>([
    ['text around a value', template`db://u:${password}@db`, 'x', 'db://u:x@db'],
    ['two values', template`${password}${password}`, 'x', 'xx'],
    ['text alone', template`x`, '', 'x'],
    ['nothing', template``, '', ''],
    ['characters of any language', template`ä${password}`, 'ö', 'äö'],
    ['a value in a URL', template`u:${secretValue(db, 'p', 'uri')}`, 'a/b@ü', 'u:a%2Fb%40%C3%BC'],
    [
      'a value in JSON',
      template`{"p":"${secretValue(db, 'p', 'json')}"}`,
      'a"\n',
      '{"p":"a\\"\\n"}',
    ],
    ['a value in base64', template`p: ${secretValue(db, 'p', 'base64')}`, 'x', 'p: eA=='],
    ['a copy in base64', secretValue(db, 'p', 'base64'), 'x', 'eA=='],
  ])('is filled in: %s', (_, one, value, want) => {
    expect(fill(one, value)).toBe(base64(want));
  });

  it('keeps every byte', () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect(fill(password, bytes)).toBe(base64(bytes));
    expect(fill(template`${password}`, bytes)).toBe(base64(bytes));
    expect(fill(template`a${password}`, bytes)).toBe(
      base64(Buffer.concat([Buffer.from('a'), bytes])),
    );
    expect(fill(secretValue(db, 'p', 'uri'), bytes)).toBe(base64('%00%FF%80%0A'));
  });

  it('cannot be filled in with a masked value from a recording, unless it is a copy', () => {
    expect(filled(partsOf(template`a${password}`), () => 'masked:x')).toBeUndefined();
    expect(filled(partsOf(password), () => 'masked:x')).toBe('masked:x');
  });
});

describe('pods that use a Secret made by templates', () => {
  const copyOf = (digest: string, text = 'a') =>
    child(secret, {
      name: 'copy',
      body: {},
      templates: { key: template`${text}${secretValue({ ...db, digest }, 'password')}` },
    });

  it.each([
    ['a source', copyOf('other')],
    ['the text', copyOf('d', 'b')],
  ])('roll when %s changes', (_, changed) => {
    expect(rollOnChange(changed)).not.toEqual(rollOnChange(copyOf('d')));
    expect(rollOnChange(copyOf('d'))).toEqual(rollOnChange(copyOf('d')));
  });
});

test('pods that use generated values roll when their rotation changes', () => {
  const passwordOf = (rotation: string | undefined) =>
    child(secret, {
      name: 'password',
      body: {},
      generated: { keys: ['password'], usedBy: [], rotation },
    });
  expect(rollOnChange(passwordOf('2'))).not.toEqual(rollOnChange(passwordOf('1')));
  expect(rollOnChange(passwordOf('1'))).not.toEqual(rollOnChange(passwordOf(undefined)));
});
