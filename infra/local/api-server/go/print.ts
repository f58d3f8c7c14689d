import { stackSafe } from '../json/stack-safe.ts';
import { jsonText } from '../json/text.ts';
import { isObject } from '../json/value.ts';

/** Formats a value as Go's `%v` does, for errors about patches. */
export const goPrint = stackSafe((value: unknown): string => {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map((item) => goPrint(item)).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${fields.map(([name, field]) => `${name}:${goPrint(field)}`).join(' ')}]`;
}, '');

/** Returns the Go type of a JSON value that is decoded into `any`. */
export function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : '%!s(<nil>)';
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\\u0007': '\\a',
  '\\u000b': '\\v',
};

/** Matches characters that Go escapes (`unicode.IsPrint` is false). */
export const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Quotes a text like Go's `%q`, with Go's own escapes. */
export function goQuote(text: string): string {
  return JSON.stringify(text)
    .replace(
      /(?<!\\)((?:\\\\)*)(\\u00[01][0-9a-f])/g,
      (_, before, code: string) => `${before}${shortEscapes[code] ?? `\\x${code.slice(4)}`}`,
    )
    .replace(unprintable, escaped);
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2 && code < '80') return `\\x${code}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}

/** Returns Go's error for a JSON value of the wrong type. */
export function typeProblem(value: unknown, into: string): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go ${into}`;
}

/** Serializes a value as Go's JSON encoder does. */
export function goJson(value: unknown): string {
  return goEscaped(jsonText(value));
}

/** Escapes `<`, `>` and `&` in JSON text, as Go's encoder does. */
export function goEscaped(text: string): string {
  if (!/[<>&\u2028\u2029]/.test(text)) return text;
  return text.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
