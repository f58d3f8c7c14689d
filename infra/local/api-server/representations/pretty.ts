const people = /^(curl|Wget|Mozilla\/5\.0)/;

/** Reports whether to indent JSON: as the query says, otherwise for browsers and command-line tools. */
export function isPretty(query: URLSearchParams, userAgent: string): boolean {
  const wanted = query.get('pretty') ?? '';
  // The texts that Go's strconv.ParseBool reads as true.
  return wanted === '' ? people.test(userAgent) : /^(1|t|T|true|True|TRUE)$/.test(wanted);
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|\{\s*\}|\[\s*\]|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Indents JSON text like Go, at any depth; numbers stay as written. */
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
