const limit = 10_000;

/** Returns Go's decoding error for JSON text that is nested too deeply. */
export function depthProblem(text: string): string | undefined {
  if (text.length <= limit) return undefined;
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '}' || token === ']') depth -= 1;
    else if (token === '{' || token === '[') depth += 1;
    if (depth > limit) return exceeded(token);
  }
  return undefined;
}

/** Does the same for a decoded value. */
export function valueDepthProblem(value: unknown): string | undefined {
  let level = containersIn([value]);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return exceeded(Array.isArray(level[0]) ? '[' : '{');
    level = containersIn(level.flatMap((container) => Object.values(container)));
  }
  return undefined;
}

function containersIn(values: readonly unknown[]): object[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}

function exceeded(token: string): string {
  return `invalid character '${token}' exceeded max depth`;
}

/** Reports whether an error was caused by nesting deeper than this process's stack. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && /call stack/.test(error.message);
}
