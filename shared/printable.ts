/**
 * Text of others as a terminal or a log line can show it: what would steer a terminal (C0, C1, escape
 * sequences), reverse what is read (Bidi_Control) or end a line unseen is written as `\u001b`. Line feeds
 * stay.
 */
export const printable = (text: string): string =>
  text.replaceAll(unprintable, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

const unprintable = /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}]/gu;
