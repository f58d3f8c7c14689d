/**
 * A lookahead in an nginx pattern. It rejects every path with a semicolon, and makes the texts of one
 * path in two Ingresses differ.
 *
 * Source: an application may strip `;…` from each segment (RFC 3986, 3.3; servlets do), so `/a;x` is
 * `/a` to it and a different path to nginx. The validating webhook of ingress-nginx refuses a path
 * text that another Ingress has, but while a path moves it is in two. nginx tries longer texts first,
 * and of two of equal length the greater one. All marks therefore have the same length, including the
 * older `(?!~0123456789abcdef)`, and sort after the older ones. The semicolon is written `\x3b`
 * because the webhook refuses texts like `root…;`.
 */
export const pathMark = (token: string): string =>
  `(?!~~${token.padEnd(8, '-').slice(0, 8)}|.*\\x3b)`;

const anyMark = /\(\?!~[^)]*\)/;

/** The pattern without its mark, old or new. */
export const unmarked = (pattern: string): string => pattern.replace(anyMark, '');

/** The mark in a pattern; empty where there is none. */
export const markIn = (pattern: string): string => anyMark.exec(pattern)?.[0] ?? '';
