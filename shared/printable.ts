/**
 * Untrusted text, safe to print on a terminal or in a log line: control characters and escape
 * sequences (C0, C1), bidirectional controls and line separators are written as `\u001b`. Line feeds
 * are kept.
 */
export const printable = (text: string): string =>
  text.replaceAll(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unprintable = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The same on one line, at most `longest` UTF-16 code units of it. */
export const oneLine = (text: string, longest: number): string =>
  printable(truncate(text, longest)).replaceAll('\n', '\\u000a');

/** A JSON value as an error shows it: strings quoted, lists and objects by their type only. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return printable(JSON.stringify(truncate(value, 80)));
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** At most `longest` UTF-16 code units, of which an ellipsis is the last if the text is longer. */
export const truncate = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;

/** Text of others within a message: `; ` separates messages, and conditions are read again. */
export const withoutSeparators = (text: string): string => text.replaceAll('; ', ', ');

/**
 * The name of a user or a field manager within a message: quoted, and without semicolons, unless it is plain.
 */
export const nameInText = (name: string): string =>
  /^[\w.:@#/+=|-]{1,128}$/.test(name) ? name : JSON.stringify(name).replaceAll(';', '\\u003b');
