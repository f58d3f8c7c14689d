import { maxSizeOf, type Size, unknownSize } from './cel-sizes.ts';
import type { Schema } from './schema.ts';

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

/** The size of a value: as computed, else as its schema bounds it. */
export function sizeOf({ size, schema, kind }: Estimate): Size {
  if (size !== undefined) return size;
  if (schema !== undefined) return { min: 0, max: maxSizeOf(schema) };
  return kind === 'number' ? fixedSize(1) : unknownSize;
}

export function fixedSize(count: number): Size {
  return { min: count, max: count };
}

/** The kind of a value; undefined if only running the rule will tell. */
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

/** A tenth of a unit, unless said otherwise, for each character or item that is gone through. */
export function traversal(size: number, factor = 0.1): number {
  return Math.ceil(size * factor);
}

/** A product in which nothing, however often, is nothing. */
export function times(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}
