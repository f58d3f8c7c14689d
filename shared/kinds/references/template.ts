import { present } from '../../json.ts';

/** How a value is escaped for the text around it. `json` is only for values that are text. */
export type Encoding = 'base64' | 'json' | 'uri';

/** A placeholder for a value of a Secret. The engine fills in the value, which the kind never sees. */
export type SecretValue = {
  readonly secret: string;
  /** Default: the child's namespace. */
  readonly namespace?: string;
  readonly key: string;
  readonly as?: Encoding;
  /** Digest of the Secret, by which `rollOnChange` notices a changed value. */
  readonly digest?: string;
};

/** Text with placeholders for values of Secrets. */
export type Template = { readonly parts: readonly (string | SecretValue)[] };

/** A Secret that the kind reads, or only its name. */
type Source = Pick<SecretValue, 'namespace' | 'digest'> & { readonly name: string };

/**
 * Builds a placeholder for a value of a Secret, to be used in a template, or alone to copy the value. `as` escapes the
 * value for a URL (`uri`) or a JSON string (`json`), or encodes it in `base64`.
 */
export const secretValue = (
  { name, namespace, digest }: Source,
  key: string,
  as?: Encoding,
): SecretValue => ({ secret: name, key, ...present({ namespace, as, digest }) });

/** Builds a template: template`postgres://${user}:${secretValue(db, 'password', 'uri')}@db`. */
export const template = (
  strings: TemplateStringsArray,
  ...values: readonly (string | number | SecretValue)[]
): Template => ({
  parts: strings.flatMap((text, at) => {
    const value = values[at];
    const part = typeof value === 'number' ? String(value) : value;
    return part === undefined ? [text] : [text, part];
  }),
});

export const partsOf = (one: Template | SecretValue): Template['parts'] =>
  'parts' in one ? one.parts.filter((part) => part !== '') : [one];

export const valuesIn = (templates: Readonly<Record<string, Template | SecretValue>>) =>
  Object.values(templates)
    .flatMap(partsOf)
    .filter((part) => typeof part === 'object');

const encodings: Readonly<Record<Encoding, (value: Buffer) => string>> = {
  base64: (value) => value.toString('base64'),
  json: (value) => JSON.stringify(value.toString()).slice(1, -1),
  uri: (value) => value.toString('latin1').replace(/[^\w.!~*'()-]/g, percentEncoded),
};

const percentEncoded = (byte: string): string =>
  `%${Buffer.from(byte, 'latin1').toString('hex').toUpperCase()}`;

/** Returns base64; undefined if a value from `lookUp` is not in base64. */
export function filled(
  parts: Template['parts'],
  lookUp: (value: SecretValue) => string,
): string | undefined {
  const [first, ...others] = parts;
  // Copies the text unchanged, because in a recording it is a digest instead of base64.
  if (typeof first === 'object' && first.as === undefined && others.length === 0)
    return lookUp(first);
  const chunks: Buffer[] = [];
  for (const part of parts) {
    if (typeof part === 'string') chunks.push(Buffer.from(part));
    else {
      const text = lookUp(part);
      if (!/^[A-Za-z0-9+/]*=*$/.test(text)) return undefined;
      const bytes = Buffer.from(text, 'base64');
      chunks.push(part.as === undefined ? bytes : Buffer.from(encodings[part.as](bytes)));
    }
  }
  return Buffer.concat(chunks).toString('base64');
}
