import { present } from '../../json.ts';

/** How a value is written into the text around it; `base64` also takes a value that is not text. */
export type Encoding = 'base64' | 'json' | 'uri';

/** Stands for a value of a Secret that the kind reads. The engine fills it in; the kind never sees it. */
export type SecretValue = {
  readonly secret: string;
  /** Default: the namespace of the child. */
  readonly namespace?: string;
  readonly key: string;
  readonly as?: Encoding;
  /** Digest of the Secret, by which `rollOnChange` notices that the value may have changed. */
  readonly digest?: string;
};

/** Text with values of Secrets. */
export type Template = { readonly parts: readonly (string | SecretValue)[] };

/** A Secret as `reads` holds it, or only its name. */
interface Source {
  readonly name: string;
  readonly namespace?: string;
  readonly digest?: string;
}

/**
 * Names a value of a Secret: within a template, or alone for a copy of it. `as` writes it for a URL
 * (`uri`), between the quotes of a JSON string (`json`), or in base64.
 */
export const secretValue = (
  { name, namespace, digest }: Source,
  key: string,
  as?: Encoding,
): SecretValue => ({ secret: name, key, ...present({ namespace, as, digest }) });

/** Tags a text with values: template`postgres://${user}:${secretValue(db, 'password', 'uri')}@db`. */
export const template = (
  texts: TemplateStringsArray,
  ...values: readonly (string | number | SecretValue)[]
): Template => ({
  parts: texts.flatMap((text, at) => {
    const value = values[at];
    const part = typeof value === 'number' ? String(value) : value;
    return part === undefined ? [text] : [text, part];
  }),
});

/** Returns the texts and values of a template; those of a copy are the value alone. */
export const partsOf = (one: Template | SecretValue): Template['parts'] =>
  'parts' in one ? one.parts.filter((part) => part !== '') : [one];

/** Returns the values in templates. */
export const valuesIn = (
  templates: Readonly<Record<string, Template | SecretValue>>,
): readonly SecretValue[] =>
  Object.values(templates).flatMap((one) =>
    partsOf(one).filter((part) => typeof part === 'object'),
  );

const encodings: Readonly<Record<Encoding, (value: Buffer) => string>> = {
  base64: (value) => value.toString('base64'),
  json: (value) => JSON.stringify(value.toString()).slice(1, -1),
  uri: (value) => encodeURIComponent(value.toString()),
};

/** Fills in values, which are in base64 as in a Secret. Returns undefined if one is not in base64. */
export function filled(
  parts: Template['parts'],
  lookUp: (value: SecretValue) => string,
): string | undefined {
  const [first, ...others] = parts;
  // A copy keeps the bytes as they are, also those that a recording has in their place.
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

/** Reports whether a value can be used as a template; what a kind's code returns may be anything. */
export const isTemplate = (value: unknown): value is Template | SecretValue =>
  isValue(value) ||
  (isObject(value) &&
    Array.isArray(value.parts) &&
    value.parts.every((part) => typeof part === 'string' || isValue(part)));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isValue = (value: unknown): boolean =>
  isObject(value) &&
  typeof value.secret === 'string' &&
  typeof value.key === 'string' &&
  (value.as === undefined || Object.hasOwn(encodings, value.as as string));
