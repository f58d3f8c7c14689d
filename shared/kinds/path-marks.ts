/**
 * A lookahead in a pattern of nginx that excludes nothing, as no path of ours begins so.
 *
 * Source: the validating webhook of ingress-nginx refuses a path text that another Ingress has; with a
 * mark for each Ingress a path can be in two while it moves. All marks have one length, as nginx tries
 * longer texts first, and of equal ones the greater.
 */
export const pathMark = (token: string): string => `(?!~${token.padEnd(16, '-').slice(0, 16)})`;

const anyMark = /\(\?!~[^)]*\)/;

/** The pattern without its mark: what it answers. */
export const unmarked = (pattern: string): string => pattern.replace(anyMark, '');

/** The mark in a pattern; empty where there is none. */
export const markIn = (pattern: string): string => anyMark.exec(pattern)?.[0] ?? '';
