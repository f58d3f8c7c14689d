/**
 * Makes untrusted text safe to print on a terminal or in a log line: control characters (C0, C1),
 * bidirectional controls, line separators and lone surrogates become escapes such as `\u001b`. Line
 * feeds are kept.
 */
export const printable = (text: string): string =>
  text.replaceAll(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unprintable = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Makes untrusted text printable on one line; keeps at most `longest` UTF-16 code units of it. */
export const oneLine = (text: string, longest: number): string =>
  printable(truncate(text, longest)).replaceAll('\n', '\\u000a');

/** Formats a JSON value for an error: strings quoted, lists and objects only by their type. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return printable(JSON.stringify(truncate(value, 80)));
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Cuts text to `longest` UTF-16 code units; text that was cut ends in an ellipsis. */
export const truncate = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;

/** Replaces `; `, which separates messages, in foreign text, so that a reader does not take it for one of ours. */
export const withoutSeparators = (text: string): string => text.replaceAll('; ', ', ');

/**
 * Formats the name of a user or a field manager for a message: quoted and without semicolons, unless it
 * is plain.
 */
export const nameInText = (name: string): string =>
  /^[\w.:@#/+=|-]{1,128}$/.test(name) ? name : JSON.stringify(name).replaceAll(';', '\\u003b');
