import { isFields } from '../../json.ts';
import type { Json } from '../../kubernetes.ts';
import type { Rule } from './rules.ts';

/** A schema that a CustomResourceDefinition may have. */
export interface StructuralSchema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly default?: Json;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

/** The keyword of a schema that accepts any fields. */
export const preserve = 'x-kubernetes-preserve-unknown-fields';

/** Returns a schema and all schemas in it, each with its path, such as `.list[].name`. */
export const schemasIn = (
  schema: StructuralSchema,
  path = '',
): readonly { readonly schema: StructuralSchema; readonly path: string }[] => [
  { schema, path },
  ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
    schemasIn(one, `${path}.${name}`),
  ),
  ...(schema.additionalProperties ? schemasIn(schema.additionalProperties, `${path}.*`) : []),
  ...(schema.items ? schemasIn(schema.items, `${path}[]`) : []),
];

/** A value inside another one, with its schema. */
export interface Place {
  /** Undefined for a field that the API server would drop as unknown. */
  readonly schema: StructuralSchema | undefined;
  readonly value: unknown;
  /** Such as `spec.list[0].name`. */
  readonly path: string;
}

const anything: StructuralSchema = { [preserve]: true };

/** Returns a value and all values in it, the outer ones first. */
export function placesIn(schema: StructuralSchema, value: unknown, path: string): readonly Place[] {
  const places: Place[] = [{ schema, value, path }];
  // Also visits the places that it adds.
  for (const { schema: outer, value: found, path: at } of places)
    if (Array.isArray(found))
      for (const [index, item] of found.entries())
        places.push({ schema: outer?.items ?? anything, value: item, path: `${at}[${index}]` });
    else if (isFields(found))
      for (const [name, field] of Object.entries(found))
        places.push({ schema: fieldOf(outer, name), value: field, path: `${at}.${name}` });
  return places;
}

function fieldOf(outer: StructuralSchema = {}, name: string): StructuralSchema | undefined {
  const { properties = {}, additionalProperties } = outer;
  const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
  return known ?? (outer[preserve] === true ? anything : undefined);
}

/** Returns the path of the first field that the API server would drop as unknown; undefined if there is none. */
export const unknownField = (places: readonly Place[]): string | undefined =>
  places.find(({ schema }) => schema === undefined)?.path;

const most = 2 ** 63;

/**
 * Explains which integer is beyond 2^53, where JavaScript rounds. The API server stores integer fields
 * exactly up to 2^63, so a run would write back another number. Accepts what the server rounds too: larger
 * integers and fields of type number.
 */
export function inexactInteger(places: readonly Place[]): string | undefined {
  const inexact = places.find(
    ({ schema, value }) =>
      Number.isInteger(value) &&
      !Number.isSafeInteger(value) &&
      Math.abs(Number(value)) <= most &&
      schema?.type !== 'number',
  );
  return (
    inexact &&
    `${inexact.path} is beyond ±${Number.MAX_SAFE_INTEGER}, so it may have been rounded; make it a string`
  );
}

/**
 * Explains which rule a value breaks; undefined if none. The schema must accept the value. Null satisfies every rule.
 */
export function brokenRule(places: readonly Place[]): string | undefined {
  for (const { schema, value, path } of places) {
    const rules = value === null ? [] : (schema?.['x-kubernetes-validations'] ?? []);
    const broken = rules.find(({ holds }) => holds?.(value as never) === false);
    if (broken === undefined) continue;
    const where = `${path}${broken.fieldPath ?? ''}`;
    return where === '' ? broken.message : `${where}: ${broken.message}`;
  }
  return undefined;
}
