const limit = 10_000;

/** What Go's decoder says of a JSON text whose maps and lists are nested too deep. */
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

/** The same of a value: what Go's decoder would say of its text. */
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

/** Whether the reason of an error is a text nested deeper than this process can follow. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && /call stack/.test(error.message);
}
