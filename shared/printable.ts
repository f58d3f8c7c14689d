/**
 * Text of others as a terminal or a log line can show it: what would steer a terminal (C0, C1, escape
 * sequences), reverse what is read (Bidi_Control) or end a line unseen is written as `\u001b`. Line feeds
 * stay.
 */
export const printable = (text: string): string =>
  text.replaceAll(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unprintable = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The same on one line, at most `longest` UTF-16 code units of it and a mark of the cut. */
export const oneLine = (text: string, longest: number): string =>
  printable(cut(text, longest)).replaceAll('\n', '\\u000a');

/** A JSON value as an error shows it: text in quotation marks, a list or an object by its type. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return printable(JSON.stringify(cut(value, 80)));
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;
