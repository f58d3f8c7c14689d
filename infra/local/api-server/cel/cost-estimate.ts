import type { Schema } from '../schema/schema.ts';
import { maxSizeOf, type Size, unknownSize } from './sizes.ts';

export type Kind = 'text' | 'number' | 'list' | 'map';

/** The maximum cost of evaluating an expression, and the properties of its value. */
export interface Estimate {
  readonly cost: number;
  /** The schema of the value, if it is a field of the object. */
  readonly schema?: Schema | undefined;
  readonly size?: Size | undefined;
  readonly kind?: Kind | undefined;
  /** The items of a list that the expression builds. */
  readonly items?: Pick<Estimate, 'kind' | 'size'> | undefined;
}

/** The base costs of cel-go's common/cost.go. */
export const callBaseCost = 1;
export const selectAndIdentCost = 1;
export const listCreateBaseCost = 10;
export const mapCreateBaseCost = 30;
export const stringTraversalCostFactor = 0.1;
export const regexStringLengthCostFactor = 0.25;

/** Returns the size of a value: the computed size, otherwise the bound of its schema. */
export function sizeOf({ size, schema, kind }: Estimate): Size {
  if (size !== undefined) return size;
  if (schema !== undefined) return { min: 0, max: maxSizeOf(schema) };
  return kind === 'number' ? fixedSize(1) : unknownSize;
}

export function fixedSize(count: number): Size {
  return { min: count, max: count };
}

/** Returns the kind of a value; undefined if only evaluation shows it. */
export function kindOf({ kind, schema }: Estimate): Kind | undefined {
  if (kind !== undefined || schema === undefined) return kind;
  if (schema['x-kubernetes-int-or-string'] === true) return undefined;
  const { type = '', format = '' } = schema;
  if (type === 'string') {
    return ['date', 'date-time', 'duration'].includes(format) ? 'number' : 'text';
  }
  if (type === 'array') return 'list';
  return type === 'object' ? 'map' : 'number';
}

/** Estimates the items of a list, or the keys of a map. */
export function itemOf({ schema, items: made }: Estimate): Estimate {
  const { items, additionalProperties } = schema ?? {};
  if (items !== undefined) return { cost: 1, schema: items };
  // The server treats map keys as strings of length zero.
  if (typeof additionalProperties === 'object')
    return { cost: 1, kind: 'text', size: fixedSize(0) };
  return { cost: 1, kind: made?.kind };
}

export function sumOf(parts: readonly Estimate[]): number {
  return parts.reduce((total, { cost }) => total + cost, 0);
}

/** Returns the cost of traversing this many characters or items. */
export function traversal(size: number, factor = stringTraversalCostFactor): number {
  return Math.ceil(size * factor);
}

/** Multiplies; zero times infinity is zero. */
export function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}
