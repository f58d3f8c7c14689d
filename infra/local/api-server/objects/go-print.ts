import { isMap } from './object.ts';
import { stackSafe } from './stack-safe.ts';

/** A value as Go prints it (`%v`): errors about patches quote theirs so. */
export const goPrint = stackSafe((value: unknown): string => {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map((item) => goPrint(item)).join(' ')}]`;
  if (!isMap(value)) return String(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${fields.map(([name, field]) => `${name}:${goPrint(field)}`).join(' ')}]`;
}, '');

/** The type that a value of JSON has once Go has decoded it into nothing in particular. */
export const goTypeOf = (value: unknown): string => {
  if (Array.isArray(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : '%!s(<nil>)';
};

const SHORT: Readonly<Record<string, string>> = {
  '\\u0007': '\\a',
  '\\u000b': '\\v',
};

/** A text in quotes as Go writes it (`%q`), which has its own forms for control characters. */
export const goQuote = (text: string): string =>
  JSON.stringify(text)
    .replaceAll('\u007f', '\\x7f')
    .replace(
      /(?<!\\)((?:\\\\)*)(\\u00[01][0-9a-f])/g,
      (_, before, code: string) => `${before}${SHORT[code] ?? `\\x${code.slice(4)}`}`,
    );
