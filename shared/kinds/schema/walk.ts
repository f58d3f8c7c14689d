import { isFields, isJsonValue } from '../../json.ts';
import type { Json } from '../../kubernetes.ts';
import { quote } from '../../printable.ts';
import type { Rule } from './rules.ts';

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

export const preserve = 'x-kubernetes-preserve-unknown-fields';

/** Adds defaults as the API server does. Returns the argument itself if it adds none. */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  const { properties = {}, additionalProperties, items } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return value;
    const list = value.map((item) => withDefaults(items, item));
    return list.some((item, at) => item !== value[at]) ? list : value;
  }
  if (!isFields(value)) return value;
  const changed: [string, unknown][] = [];
  const add = (name: string, inner: StructuralSchema): void => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const field = withDefaults(inner, given === undefined ? copyOf(inner.default) : given);
    if (field !== given) changed.push([name, field]);
  };
  for (const [name, inner] of Object.entries(properties)) add(name, inner);
  if (additionalProperties !== undefined)
    for (const name of Object.keys(value)) add(name, additionalProperties);
  return changed.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...changed]);
}

const copyOf = (value: unknown): unknown =>
  typeof value === 'object' ? structuredClone(value) : value;

interface Place {
  /** Undefined for a field that the API server would drop as unknown. */
  readonly schema: StructuralSchema | undefined;
  readonly value: unknown;
  /** Such as `spec.list[0].name`. */
  readonly path: string;
}

const anything: StructuralSchema = { [preserve]: true };

/** Outer places come first. */
export function placesIn(schema: StructuralSchema, value: unknown, path: string): readonly Place[] {
  const places: Place[] = [{ schema, value, path }];
  // The loop also visits the places that it adds.
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

export const unknownField = (places: readonly Place[]): string | undefined =>
  places.find(({ schema, value }) => schema === undefined && value !== undefined)?.path;

/** Names the first value that is not JSON. A field may be undefined; a list item may not. */
export function otherValue(places: readonly Place[]): string | undefined {
  const other = places.find(({ value, path }) =>
    value === undefined ? path.endsWith(']') : !Array.isArray(value) && !isJsonValue(value),
  );
  return other && `${other.path} is ${quote(other.value)}, which is not a JSON value`;
}

/** Finds an integer beyond 2^53, which JavaScript rounds. Omits fields of type `number`, which the server rounds, too. */
export function inexactInteger(places: readonly Place[]): string | undefined {
  const inexact = places.find(
    ({ schema, value }) =>
      Number.isInteger(value) &&
      !Number.isSafeInteger(value) &&
      Math.abs(Number(value)) <= 2 ** 63 &&
      schema?.type !== 'number',
  );
  return (
    inexact &&
    `${inexact.path} is beyond ±${Number.MAX_SAFE_INTEGER}, so it may have been rounded; make it a string`
  );
}

/** Returns the message of the first broken rule. Each value must fit its schema. Null breaks no rule. */
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
