/**
 * Returns the error of Go's encoding/json for invalid JSON text; undefined for valid text of any depth.
 *
 * Flow: JSON.parse decides; a text that it refuses is scanned for the message.
 */
export function syntaxProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    // Go reads bytes and names one in the message.
    return problemIn(Buffer.from(text).toString('latin1'));
  }
}

const endOfInput = 'unexpected end of JSON input';

class Problem extends Error {}

interface Reader {
  /** The next character, without taking it; empty at the end. */
  readonly peek: () => string;
  readonly take: () => string;
  readonly skipSpace: () => void;
  readonly fail: (context: string) => Problem;
}

function readerOf(text: string): Reader {
  let position = 0;
  const peek = (): string => text[position] ?? '';
  return {
    peek,
    take: () => text[position++] ?? '',
    skipSpace: () => {
      while (peek() !== '' && ' \t\r\n'.includes(peek())) position += 1;
    },
    fail: (context) =>
      new Problem(peek() === '' ? endOfInput : `invalid character ${quoted(peek())} ${context}`),
  };
}

function quoted(character: string): string {
  if (character === "'") return `'\\''`;
  if (character === '"') return `'"'`;
  return `'${JSON.stringify(character).slice(1, -1)}'`;
}

function problemIn(text: string): string | undefined {
  const reader = readerOf(text);
  try {
    readNested(reader);
    reader.skipSpace();
    return reader.peek() === '' ? undefined : reader.fail('after top-level value').message;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** Scans one value with its contents. Uses a list of open containers in place of recursion, for deep nesting. */
function readNested(reader: Reader): void {
  const open: ('}' | ']')[] = [];
  for (;;) {
    const isClosed = readBeginning(reader, open);
    if (!isClosed) continue;
    for (;;) {
      const end = open.at(-1);
      if (end === undefined) return;
      reader.skipSpace();
      if (reader.peek() === ',') {
        reader.take();
        if (end === '}') readKey(reader);
        break;
      }
      if (reader.peek() !== end) {
        throw reader.fail(end === '}' ? 'after object key:value pair' : 'after array element');
      }
      reader.take();
      open.pop();
    }
  }
}

/** Reads a scalar or an empty container and returns true; otherwise enters the container. */
function readBeginning(reader: Reader, open: ('}' | ']')[]): boolean {
  reader.skipSpace();
  const first = reader.peek();
  if (first !== '{' && first !== '[') {
    readScalar(reader, first);
    return true;
  }
  reader.take();
  const end = first === '{' ? '}' : ']';
  reader.skipSpace();
  if (reader.peek() === end) {
    reader.take();
    return true;
  }
  open.push(end);
  if (first === '{') readKey(reader);
  return false;
}

function readKey(reader: Reader): void {
  reader.skipSpace();
  if (reader.peek() !== '"') throw reader.fail('looking for beginning of object key string');
  readString(reader);
  reader.skipSpace();
  if (reader.peek() !== ':') throw reader.fail('after object key');
  reader.take();
}

const literals = ['true', 'false', 'null'];

function readScalar(reader: Reader, first: string): void {
  const literal = literals.find((one) => first !== '' && one.startsWith(first));
  if (first === '"') readString(reader);
  else if (/[-0-9]/.test(first)) readNumber(reader);
  else if (literal === undefined) throw reader.fail('looking for beginning of value');
  else {
    for (const letter of literal) {
      if (reader.peek() !== letter)
        throw reader.fail(`in literal ${literal} (expecting '${letter}')`);
      reader.take();
    }
  }
}

function readString(reader: Reader): void {
  reader.take();
  while (reader.peek() !== '"') {
    if (reader.peek() < ' ') throw reader.fail('in string literal');
    if (reader.take() !== '\\') continue;
    if (!/["\\/bfnrtu]/.test(reader.peek())) throw reader.fail('in string escape code');
    if (reader.take() !== 'u') continue;
    for (let digit = 0; digit < 4; digit++) {
      if (!/[0-9a-fA-F]/.test(reader.peek()))
        throw reader.fail('in \\u hexadecimal character escape');
      reader.take();
    }
  }
  reader.take();
}

function readNumber(reader: Reader): void {
  if (reader.peek() === '-') reader.take();
  if (reader.peek() === '0') reader.take();
  else readDigits(reader, 'in numeric literal');
  if (reader.peek() === '.') {
    reader.take();
    readDigits(reader, 'after decimal point in numeric literal');
  }
  if (!/[eE]/.test(reader.peek())) return;
  reader.take();
  if (/[-+]/.test(reader.peek())) reader.take();
  readDigits(reader, 'in exponent of numeric literal');
}

function readDigits(reader: Reader, context: string): void {
  if (!/\d/.test(reader.peek())) throw reader.fail(context);
  while (/\d/.test(reader.peek())) reader.take();
}
