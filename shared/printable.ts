/**
 * Makes untrusted text safe for a terminal or a log line. Control characters (C0, C1), bidirectional
 * controls, line separators and lone surrogates become escapes such as `\u001b`; line feeds stay.
 */
export const printable = (text: string): string =>
  text.replaceAll(unprintable, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unprintable = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Makes untrusted text printable on one line, and cuts it to `longest` UTF-16 code units. */
export const oneLine = (text: string, longest: number): string =>
  printable(truncate(text, longest)).replaceAll('\n', '\\u000a');

/** Formats a value for an error: a string in quotes, a list, object or function only as its type. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return printable(JSON.stringify(truncate(value, 80)));
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Promise) return 'a promise';
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Cuts text to `longest` UTF-16 code units, and marks the cut with an ellipsis. */
export const truncate = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;

/** Replaces `; ` in untrusted text, because we separate our own messages with it. */
export const withoutSeparators = (text: string): string => text.replaceAll('; ', ', ');

/** Formats the name of a user or field manager. Unless it is plain, quotes it and escapes semicolons. */
export const nameInText = (name: string): string =>
  /^[\w.:@#/+=|-]{1,128}$/.test(name) ? name : JSON.stringify(name).replaceAll(';', '\\u003b');
