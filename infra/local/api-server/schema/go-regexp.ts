/**
 * A regular expression as Go's RE2 reads it, in JavaScript's own; undefined if it is none.
 *
 * Caveats: what RE2 lacks (look-around, back references) is not refused here, and a text that both
 * dialects read, but differently (`\pN` without braces), is not translated.
 */
export function goRegExp(pattern: string): RegExp | undefined {
  const [, flags = '', rest = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  const text = rest
    .replace(/\\z/g, '$')
    .replace(/\\A/g, '^')
    .replace(/\(\?P</g, '(?<')
    .replace(/\[:(\w+):\]/g, (whole, name: string) => posixClasses[name] ?? whole);
  return compile(text, `u${flags}`) ?? compile(text, flags);
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

function compile(text: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(text, flags);
  } catch {
    return undefined;
  }
}
