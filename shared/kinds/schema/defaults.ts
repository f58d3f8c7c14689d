import { isFields } from '../../json.ts';
import type { StructuralSchema } from './walk.ts';

/**
 * Adds the schema's defaults for absent fields, as the API server does.
 *
 * Guarantees: does not change its argument, and returns it if nothing is absent.
 */
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
