import { type FieldError, forbidden, invalid, required } from '../../errors/field-error.ts';
import { goRegExp } from '../../go/regexp.ts';
import { own } from '../../json/own.ts';
import type { Schema } from '../../schema/schema.ts';

/** Checks a schema within allOf, anyOf, oneOf or not, which may only constrain values. */
export interface Nested {
  readonly schema: Schema;
  readonly path: string;
}

const mustBe: Readonly<Partial<Record<keyof Schema, string>>> = {
  type: 'must be empty to be structural',
  additionalProperties: 'must be undefined to be structural',
  default: 'must be undefined to be structural',
  title: 'must be empty to be structural',
  description: 'must be empty to be structural',
  nullable: 'must be false to be structural',
  'x-kubernetes-preserve-unknown-fields': 'must be false to be structural',
  'x-kubernetes-embedded-resource': 'must be false to be structural',
  'x-kubernetes-int-or-string': 'must be false to be structural',
  'x-kubernetes-list-map-keys': 'must be empty to be structural',
  'x-kubernetes-list-type': 'must be undefined to be structural',
  'x-kubernetes-map-type': 'must be undefined to be structural',
  'x-kubernetes-validations': 'must be empty to be structural',
};

/** Finds keywords that a nested schema must not have. */
export function checkNested({ schema, path }: Nested): FieldError[] {
  const named = Object.entries(mustBe) as [keyof Schema, string][];
  const own = named
    .filter(([name]) => isSet(schema[name]))
    .map(([name, detail]) => forbidden(`${path}.${name}`, detail));
  const hasMetadata = schema.properties?.metadata !== undefined;
  const metadata = hasMetadata
    ? [forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')]
    : [];
  const below = [...alternativesOf({ schema, path }), ...childrenOf({ schema, path })];
  return [...own, ...metadata, ...checkPattern(schema, path), ...below.flatMap(checkNested)];
}

/** A pattern must compile. */
export function checkPattern({ pattern }: Schema, path: string): FieldError[] {
  const compiled = pattern === undefined ? {} : goRegExp(pattern);
  if (!('problem' in compiled)) return [];
  const detail = `must be a valid regular expression, but isn't: ${compiled.problem}`;
  return [invalid(`${path}.pattern`, pattern, detail)];
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== false && value !== '';
}

function alternativesOf({ schema, path }: Nested): Nested[] {
  const { not } = schema;
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
    (schema[name] ?? []).map((one, index) => ({ schema: one, path: `${path}.${name}[${index}]` })),
  );
  return not === undefined ? lists : [{ schema: not, path: `${path}.not` }, ...lists];
}

function childrenOf({ schema, path }: Nested): Nested[] {
  const { items, properties = {} } = schema;
  const fields = Object.entries(properties).map(([name, property]) => ({
    schema: property,
    path: `${path}.properties[${name}]`,
  }));
  return items === undefined ? fields : [{ schema: items, path: `${path}.items` }, ...fields];
}

/** Finds fields that nested schemas constrain and the enclosing structure does not define. */
export function checkCompleteness(schema: Schema, path: string): FieldError[] {
  return alternativesOf({ schema, path }).flatMap((nested) =>
    missingFrom(nested, { schema, path }),
  );
}

function missingFrom(
  nested: Nested,
  structure: { schema: Schema | undefined; path: string },
): FieldError[] {
  const { schema, path } = structure;
  if (schema === undefined) return [required(path, `because it is defined in ${nested.path}`)];
  const { items, properties = {} } = nested.schema;
  return [
    ...alternativesOf(nested).flatMap((inner) => missingFrom(inner, structure)),
    ...(items === undefined
      ? []
      : missingFrom(
          { schema: items, path: `${nested.path}.items` },
          { schema: schema.items, path: `${path}.items` },
        )),
    ...Object.entries(properties).flatMap(([name, property]) =>
      missingFrom(
        { schema: property, path: `${nested.path}.properties[${name}]` },
        { schema: own(schema.properties, name), path: `${path}.properties[${name}]` },
      ),
    ),
  ];
}
