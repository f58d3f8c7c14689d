const LIMIT = 10_000;

/** What Go's decoder says of a JSON text whose maps and lists are nested too deep. */
export const depthProblem = (text: string): string | undefined => {
  if (text.length <= LIMIT) return undefined;
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '}' || token === ']') depth -= 1;
    else if (token === '{' || token === '[') depth += 1;
    if (depth > LIMIT) return `invalid character '${token}' exceeded max depth`;
  }
  return undefined;
};

/** Whether the reason of an error is a text nested deeper than this process can follow. */
export const isTooDeep = (error: unknown): boolean =>
  error instanceof RangeError && /call stack/.test(error.message);
