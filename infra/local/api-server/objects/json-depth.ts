const LIMIT = 10_000;

/** What Go's decoder says of a JSON text whose maps and lists are nested too deep. */
export const depthProblem = (text: string): string | undefined => {
  if (text.length <= LIMIT) return undefined;
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === '}' || token === ']') depth -= 1;
    else if (token === '{' || token === '[') depth += 1;
    if (depth > LIMIT) return exceeded(token);
  }
  return undefined;
};

/** The same of a value: what Go's decoder would say of its text. */
export const valueDepthProblem = (value: unknown): string | undefined => {
  let level = containersIn([value]);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > LIMIT) return exceeded(Array.isArray(level[0]) ? '[' : '{');
    level = containersIn(level.flatMap((container) => Object.values(container)));
  }
  return undefined;
};

const containersIn = (values: readonly unknown[]): object[] =>
  values.filter((value) => typeof value === 'object' && value !== null);

const exceeded = (token: string): string => `invalid character '${token}' exceeded max depth`;

/** Whether the reason of an error is a text nested deeper than this process can follow. */
export const isTooDeep = (error: unknown): boolean =>
  error instanceof RangeError && /call stack/.test(error.message);
