import type { Schema } from '../schema/schema.ts';
import { maxSizeOf, type Size, unknownSize } from './sizes.ts';

export type Kind = 'text' | 'number' | 'list' | 'map';

/** What evaluating an expression can cost, and what is known of its value. */
export interface Estimate {
  readonly cost: number;
  /** The schema that the value has in the object. */
  readonly schema?: Schema | undefined;
  readonly size?: Size | undefined;
  readonly kind?: Kind | undefined;
  /** Of a list that the expression makes, what its items are. */
  readonly items?: Pick<Estimate, 'kind' | 'size'> | undefined;
}

/** The base costs of cel-go's common/cost.go. */
export const callBaseCost = 1;
export const selectAndIdentCost = 1;
export const listCreateBaseCost = 10;
export const mapCreateBaseCost = 30;
export const stringTraversalCostFactor = 0.1;
export const regexStringLengthCostFactor = 0.25;

/** The size of a value: as computed, else as its schema bounds it. */
export function sizeOf({ size, schema, kind }: Estimate): Size {
  if (size !== undefined) return size;
  if (schema !== undefined) return { min: 0, max: maxSizeOf(schema) };
  return kind === 'number' ? fixedSize(1) : unknownSize;
}

export function fixedSize(count: number): Size {
  return { min: count, max: count };
}

/** The kind of a value; undefined if it is known only when the rule runs. */
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

/** The items of a list, or the keys of a map. */
export function itemOf({ schema, items: made }: Estimate): Estimate {
  const { items, additionalProperties } = schema ?? {};
  if (items !== undefined) return { cost: 1, schema: items };
  // The server takes keys of maps for texts without a size.
  if (typeof additionalProperties === 'object')
    return { cost: 1, kind: 'text', size: fixedSize(0) };
  return { cost: 1, kind: made?.kind };
}

export function sumOf(parts: readonly Estimate[]): number {
  return parts.reduce((total, { cost }) => total + cost, 0);
}

/** The cost of going through so many characters or items. */
export function traversal(size: number, factor = stringTraversalCostFactor): number {
  return Math.ceil(size * factor);
}

/** A product in which zero times infinity is zero. */
export function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}
