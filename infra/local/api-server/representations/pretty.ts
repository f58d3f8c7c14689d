const people = /^(curl|Wget|Mozilla\/5\.0)/;

/** Whether JSON is to be indented: as the query says, else for browsers and tools of the command line. */
export function isPretty(query: URLSearchParams, userAgent: string): boolean {
  const wanted = query.get('pretty') ?? '';
  // What strconv.ParseBool of Go reads as true.
  return wanted === '' ? people.test(userAgent) : /^(1|t|T|true|True|TRUE)$/.test(wanted);
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s"{}[\],:]+/g;

/** A JSON text, indented as Go does: numbers stay as they are written, and any depth will do. */
export function indented(json: string): string {
  let depth = 0;
  const parts: string[] = [];
  for (const [token] of json.matchAll(tokens)) {
    if (token === '}' || token === ']') parts.push(newLine(--depth));
    parts.push(token);
    if (token === '{' || token === '[') parts.push(newLine(++depth));
    if (token === ',') parts.push(newLine(depth));
    if (token === ':') parts.push(' ');
  }
  return parts.join('');
}

function newLine(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}
