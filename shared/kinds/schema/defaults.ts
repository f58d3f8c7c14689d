import { isMap } from '../../canonical.ts';
import type { Json } from '../../kubernetes.ts';

/** The schema keywords that `withDefaults` and `unknownField` read. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly default?: unknown;
  readonly 'x-kubernetes-preserve-unknown-fields'?: unknown;
}

/**
 * Adds the schema's defaults for absent fields, as the API server does.
 *
 * Guarantees: does not change its argument, and returns it if nothing is absent.
 */
export function withDefaults(schema: Schema, value: unknown): unknown {
  const { properties = {}, additionalProperties, items } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return value;
    const list = value.map((item) => withDefaults(items, item));
    return list.some((item, at) => item !== value[at]) ? list : value;
  }
  if (!isMap(value as Json)) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  const changed: [string, unknown][] = [];
  const add = (name: string, inner: Schema): void => {
    const given = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const field = withDefaults(inner, given === undefined ? copyOf(inner.default) : given);
    if (field !== given) changed.push([name, field]);
  };
  for (const [name, inner] of Object.entries(properties)) add(name, inner);
  if (additionalProperties !== undefined)
    for (const name of Object.keys(fields)) add(name, additionalProperties);
  return changed.length === 0 ? value : Object.fromEntries([...Object.entries(fields), ...changed]);
}

const copyOf = (value: unknown): unknown =>
  typeof value === 'object' ? structuredClone(value) : value;

/** Returns the path of the first field that the API server would drop as unknown; undefined if there is none. */
export function unknownField(schema: Schema, value: unknown, path: string): string | undefined {
  const { properties, additionalProperties, items } = schema;
  if (Array.isArray(value) && items !== undefined) {
    for (const [at, item] of value.entries()) {
      const found = unknownField(items, item, `${path}[${at}]`);
      if (found !== undefined) return found;
    }
  }
  if (!isMap(value as Json)) return undefined;
  for (const [name, field] of Object.entries(value as object)) {
    const known = properties !== undefined && Object.hasOwn(properties, name);
    const inner = known ? properties[name] : additionalProperties;
    if (inner === undefined && schema['x-kubernetes-preserve-unknown-fields'] === true) continue;
    const innerPath = `${path}.${name}`;
    if (inner === undefined) return innerPath;
    const found = unknownField(inner, field, innerPath);
    if (found !== undefined) return found;
  }
  return undefined;
}
