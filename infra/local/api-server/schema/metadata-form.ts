import { own } from '../json/own.ts';
import { isObject } from '../json/value.ts';
import { objectMeta } from './object-meta.ts';
import type { Schema } from './schema.ts';

/** Explains why metadata cannot be decoded: the first value of a wrong type; undefined if it can. */
export function metadataProblem(metadata: unknown): string | undefined {
  return problemOf(metadata, objectMeta, 'metadata');
}

function problemOf(value: unknown, schema: Schema, path: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isOfType(value, schema)) {
    return `json: cannot unmarshal ${goType(value)} into Go struct field ObjectMeta.${path} of type ${schema.type}`;
  }
  if (Array.isArray(value)) return firstProblem(value.map((item) => [schema.items, item, path]));
  if (!isObject(value) || schema['x-kubernetes-preserve-unknown-fields'] === true) return undefined;
  const { properties = {}, additionalProperties } = schema;
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return firstProblem(
    Object.entries(value).map(([name, field]) => [
      own(properties, name) ?? rest,
      field,
      `${path}.${name}`,
    ]),
  );
}

type Part = readonly [schema: Schema | undefined, value: unknown, path: string];

function firstProblem(parts: readonly Part[]): string | undefined {
  for (const [schema, value, path] of parts) {
    const problem = schema && problemOf(value, schema, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isOfType(value: unknown, { type, format }: Schema): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return typeof value === 'string' && (format !== 'date-time' || isTime(value));
  }
}

function isTime(text: string): boolean {
  return (
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  );
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
