import { own, put } from '../json/own.ts';
import { isBuiltIn, resolveRef, type Schema, type SchemaSource } from './schema.ts';

/** A number in JSON or YAML with ten digits in a row or an exponent. Most texts have such digits only in uids. */
const maybeBeyond = /(?:^|[\s:,[])[-+]?[\d._]*(?:\d{10}|\d[eE])/;

/**
 * Wraps integers that exceed 32 bits, as Go does when it converts a decoded patch or apply to its struct;
 * other writes are refused. `text` is the body.
 */
export function wrapIntegers(source: SchemaSource, value: unknown, text: string): unknown {
  return maybeBeyond.test(text) && isBuiltIn(source) ? wrap(value, source.root, source) : value;
}

function wrap(value: unknown, given: Schema, source: SchemaSource): unknown {
  const schema = resolveRef(given, source.definitions);
  if (typeof value === 'number') {
    const isWrapped = schema.type === 'integer' && schema.format === 'int32';
    return isWrapped && Number.isInteger(value) ? inBits(value) : value;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => wrap(item, items, source));
  }
  if (typeof value !== 'object' || value === null || isOpaque(schema)) return value;
  const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
  const wrapped: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    put(wrapped, name, wrap(field, own(schema.properties, name) ?? rest, source));
  }
  return wrapped;
}

/** Skips values without a schema, because no integer type is known for them. */
function isOpaque({ properties, additionalProperties }: Schema): boolean {
  return properties === undefined && typeof additionalProperties !== 'object';
}

function inBits(value: number): number {
  return Math.abs(value) < 2 ** 63 ? Number(BigInt.asIntN(32, BigInt(value))) : 0;
}
