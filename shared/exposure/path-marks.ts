/**
 * A lookahead in a pattern of nginx: excludes every path with a semicolon, and makes the texts of one
 * path in two Ingresses differ.
 *
 * Source: an application may strip `;…` off each segment (RFC 3986, 3.3; servlets do), so that
 * `/a;x` is `/a` to it and another path to nginx. The validating webhook of ingress-nginx refuses a
 * path text that another Ingress has, and a path has to be in two while it moves. nginx tries longer
 * texts first, and of equal ones the greater: all marks have one length, that of the older
 * `(?!~0123456789abcdef)` included, and come after these. The semicolon is written as `\x3b`, as the
 * webhook refuses texts like `root…;`.
 */
export const pathMark = (token: string): string =>
  `(?!~~${token.padEnd(8, '-').slice(0, 8)}|.*\\x3b)`;

const anyMark = /\(\?!~[^)]*\)/;

/** The pattern without its mark, old or new: the path it stands for. */
export const unmarked = (pattern: string): string => pattern.replace(anyMark, '');

/** The mark in a pattern; empty where there is none. */
export const markIn = (pattern: string): string => anyMark.exec(pattern)?.[0] ?? '';
