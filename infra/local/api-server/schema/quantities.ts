import { own, put } from '../json/own.ts';
import { isObject } from '../json/value.ts';
import { canonicalForm, QuantityError } from '../objects/quantity.ts';
import {
  type Definitions,
  quantityName,
  refName,
  resolveRef,
  type Schema,
  type SchemaSource,
} from './schema.ts';

/** Returns the canonical form of a quantity (0.1 → 100m, 1024Mi → 1Gi); undefined for any other text. */
export function canonicalQuantity(text: string): string | undefined {
  try {
    return canonicalForm(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/**
 * Brings the quantities of a built-in object to canonical form; throws a QuantityError for an invalid quantity. The
 * argument is not modified; the result shares unchanged parts with it.
 */
export function canonicaliseQuantities(
  { root, definitions }: SchemaSource,
  value: unknown,
): unknown {
  return canonicalise(value, root, definitions);
}

function canonicalise(value: unknown, schema: Schema, definitions: Definitions): unknown {
  const name = refName(schema);
  if (name === quantityName) return canonicalValue(value);
  if (typeof value !== 'object' || value === null) return value;
  if (name !== undefined && !holdsQuantities(name, definitions)) return value;
  const { properties = {}, additionalProperties, items } = resolveRef(schema, definitions);
  if (Array.isArray(value)) {
    if (items === undefined) return value;
    const result = value.map((item) => canonicalise(item, items, definitions));
    return result.every((item, index) => item === value[index]) ? value : result;
  }
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  let result: Record<string, unknown> | undefined;
  for (const [field, before] of Object.entries(value)) {
    const fieldSchema = own(properties, field) ?? rest;
    const after = fieldSchema && canonicalise(before, fieldSchema, definitions);
    if (fieldSchema === undefined || after === before) continue;
    result ??= { ...value };
    put(result, field, after);
  }
  return result ?? value;
}

function canonicalValue(value: unknown): unknown {
  // Only entries of maps can be null here; they count as zero.
  if (value === null) return '0';
  return canonicalForm(isObject(value) || Array.isArray(value) ? '{' : String(value).trim());
}

const holders = new WeakMap<Definitions, ReadonlySet<string>>();

function holdsQuantities(name: string, definitions: Definitions): boolean {
  let names = holders.get(definitions);
  if (names === undefined) {
    names = findHolders(definitions);
    holders.set(definitions, names);
  }
  return names.has(name);
}

/** Definitions that contain quantities, directly or below. */
function findHolders(definitions: Definitions): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  for (const [name, schema] of Object.entries(definitions)) {
    for (const used of refsIn(schema)) users.set(used, [...(users.get(used) ?? []), name]);
  }
  const found = new Set<string>();
  const visit = (name: string): void => {
    for (const user of users.get(name) ?? []) {
      if (found.has(user)) continue;
      found.add(user);
      visit(user);
    }
  };
  visit(quantityName);
  return found;
}

function refsIn(schema: Schema): string[] {
  const name = refName(schema);
  const { properties = {}, additionalProperties, items } = schema;
  const rest = typeof additionalProperties === 'object' ? [additionalProperties] : [];
  const inner = [...Object.values(properties), ...rest, ...(items === undefined ? [] : [items])];
  return [...(name === undefined ? [] : [name]), ...inner.flatMap(refsIn)];
}
