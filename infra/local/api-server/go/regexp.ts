import { RE2JS, RE2JSException } from 're2js';

/**
 * A user's regular expression in Go's language, RE2, whose matching takes linear time.
 *
 * Guarantees: never runs in JavaScript's own engine, which may take exponential time.
 */
export interface GoRegExp {
  /** Reports whether the expression matches anywhere in the text. */
  readonly test: (text: string) => boolean;
  /** Returns the matches from left to right, at most `limit`. */
  readonly findAll: (text: string, limit?: number) => string[];
}

/** Compiles a pattern, or returns Go's error message. */
export function goRegExp(
  pattern: string,
): { readonly regExp: GoRegExp } | { readonly problem: string } {
  try {
    const compiled = RE2JS.compile(pattern);
    return {
      regExp: {
        test: (text) => compiled.test(text),
        findAll: (text, limit) => findAll(compiled, text, limit),
      },
    };
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: error.message };
    throw error;
  }
}

function findAll(
  compiled: RE2JS,
  text: string,
  limit: number = Number.POSITIVE_INFINITY,
): string[] {
  const matcher = compiled.matcher(text);
  const found: string[] = [];
  while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}
