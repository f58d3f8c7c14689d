const words: readonly (readonly [unknown, readonly string[]])[] = [
  [true, ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']],
  [false, ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']],
  [null, ['', '~', 'null', 'Null', 'NULL']],
  [Number.NaN, ['.nan', '.NaN', '.NAN']],
  [Number.POSITIVE_INFINITY, ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF']],
  [Number.NEGATIVE_INFINITY, ['-.inf', '-.Inf', '-.INF']],
];
const meanings = new Map(words.flatMap(([value, texts]) => texts.map((text) => [text, value])));

const wholeNumber = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/;
const floatNumber = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;

/**
 * Resolves an unquoted scalar like Go's YAML: by YAML 1.1, so `yes` is true and `010` is 8. Times and base-60
 * numbers are the exceptions: they stay strings.
 */
export function scalarMeaning(text: string): unknown {
  if (meanings.has(text)) return meanings.get(text);
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '');
  if (!/^[-+.\d]/.test(text)) return text;
  const [, sign, digits] = wholeNumber.exec(plain) ?? [];
  if (digits !== undefined) return whole(sign === '-', digits);
  const number = floatNumber.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

function whole(negative: boolean, digits: string): number {
  const octal = /^0[oO]?([0-7]+)$/.exec(digits);
  const value = Number(octal ? `0o${octal[1]}` : digits);
  return negative && value !== 0 ? -value : value;
}

const tagPrefix = 'tag:yaml.org,2002:';

/** Resolves a scalar with an explicit tag; throws Go's error if the tag does not fit. */
export function taggedMeaning(tag: string, text: string): unknown {
  const short = tag.startsWith(tagPrefix) ? tag.slice(tagPrefix.length) : '';
  if (short === 'binary') return fromBase64(text);
  const wanted = typesByTag.get(short);
  if (wanted === undefined) return text;
  const value = scalarMeaning(text);
  const type = tagOf(value);
  if (wanted.includes(type)) return value;
  throw new Error(`cannot decode !!${type} \`${text}\` as a !!${short}`);
}

const typesByTag: ReadonlyMap<string, readonly string[]> = new Map([
  ['int', ['int']],
  ['float', ['float', 'int']],
  ['bool', ['bool']],
  ['null', ['null']],
]);

function tagOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  return Number.isInteger(value) ? 'int' : 'float';
}

function fromBase64(text: string): string {
  const bare = text.replace(/\s/g, '');
  const bytes = Buffer.from(bare, 'base64');
  if (bytes.toString('base64') === bare) return bytes.toString('utf8');
  throw new Error('!!binary value contains invalid base64 data');
}
