const stringTokens = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

/**
 * Returns the paths of fields that occur twice in one object of a JSON text.
 *
 * Flow: counts the names in the text and in the decoded value; walks the text only if the counts differ.
 */
export function duplicateFields(text: string, read: unknown): string[] {
  let named = 0;
  for (const match of text.matchAll(stringTokens)) if (match[1] !== undefined) named += 1;
  return named === countFields(read) ? [] : walk(text);
}

function countFields(read: unknown): number {
  let count = 0;
  const left = [read];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    if (!Array.isArray(value)) count += inner.length;
    for (const one of inner) if (typeof one === 'object') left.push(one);
  }
  return count;
}

interface Level {
  readonly path: string;
  readonly seen: Set<string> | undefined;
  index: number;
  field: string;
}

const tokenPattern = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

function walk(text: string): string[] {
  const found: string[] = [];
  const levels: Level[] = [];
  let last = '';
  for (const [token] of text.matchAll(tokenPattern)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') levels.push(open(token, level));
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && level) level.index += 1;
    else if (token === ':' && level) name(level, JSON.parse(last), found);
    last = token;
  }
  return found;
}

function open(token: string, parent: Level | undefined): Level {
  return {
    path: parent === undefined ? '' : placeIn(parent),
    seen: token === '{' ? new Set() : undefined,
    index: 0,
    field: '',
  };
}

function placeIn({ path, seen, index, field }: Level): string {
  if (seen === undefined) return `${path}[${index}]`;
  return path === '' ? field : `${path}.${field}`;
}

function name(level: Level, field: string, found: string[]): void {
  level.field = field;
  if (level.seen?.has(field)) found.push(placeIn(level));
  level.seen?.add(field);
}
