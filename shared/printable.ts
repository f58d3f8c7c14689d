/** Escapes control, bidirectional, invisible and separator characters and lone surrogates, but no line feeds. */
export const printable = (text: string): string => text.replaceAll(unprintable, escaped);

/** Escapes every UTF-16 unit as in JSON, such as `\u202e`. */
export const escaped = (text: string): string =>
  text.replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Omits the joiners and variation selectors of emoji. */
const unprintable =
  /[[\p{Cc}--\n][\p{Default_Ignorable_Code_Point}--[\u200c\u200d\ufe0e\ufe0f]]\p{Zl}\p{Zp}\p{Cs}\ufff9-\ufffb\ufffe\uffff]/gv;

export const oneLine = (text: string, longest: number): string =>
  printable(truncate(text, longest)).replaceAll('\n', '\\u000a');

/** Shows only the type or class of a list, object or function. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return printable(JSON.stringify(truncate(value, 80)));
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Promise) return 'a promise';
  if (Array.isArray(value)) return 'a list';
  const { name = 'Object' } = Object.getPrototypeOf(value)?.constructor ?? {};
  return name === 'Object' ? 'an object' : `an object of class ${name}`;
}

/** `longest` is in UTF-16 code units, and includes the ellipsis. */
export const truncate = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text;

/** Replaces the separator `; ` in another writer's text. Joins its lines, because `kubectl get` shows only one. */
export const withoutSeparators = (text: string): string =>
  printable(text.trim().replaceAll(/\s+/g, ' ')).replaceAll('; ', ', ');

export const nameInText = (name: string): string =>
  /^[\w.:@#/+=|-]{1,128}$/.test(name)
    ? name
    : printable(JSON.stringify(name)).replaceAll(';', '\\u003b');

export function listed(strings: readonly string[], most = 3): string {
  const more = strings.length > most ? ` and ${strings.length - most} more` : '';
  return `${strings.slice(0, most).join(', ')}${more}`;
}
