import { estimateCost } from '../../cel/cost.ts';
import { times } from '../../cel/cost-estimate.ts';
import { maxRequestBytes, minBytesOf } from '../../cel/sizes.ts';
import { type FieldError, forbidden } from '../../errors/field-error.ts';
import type { Schema } from '../../schema/schema.ts';

const maxCost = 10_000_000;
const maxTotalCost = 100_000_000;

/** The cost of a rule for a whole object. */
export interface RuleCost {
  readonly field: string;
  readonly cost: number;
}

/** Returns the maximum number of values of a schema in one object; undefined if only the object's size bounds it. */
export function countOfChildren(schema: Schema, count: number | undefined): number | undefined {
  const { type, maxItems, maxProperties, additionalProperties } = schema;
  if (count === undefined) return undefined;
  if (type === 'array') return maxItems === undefined ? undefined : count * maxItems;
  if (type !== 'object' || additionalProperties === undefined) return count;
  return maxProperties === undefined ? undefined : count * maxProperties;
}

/** Returns the cost of an expression that is evaluated for each of these values. */
export function costOf(expression: string, schema: Schema, count: number | undefined): number {
  const bound = Math.floor(maxRequestBytes / (minBytesOf(schema) + 1));
  return times(estimateCost(expression, schema), count ?? bound);
}

/** Refuses an expression that is too expensive by itself. */
export function costErrors({ field, cost }: RuleCost, name: string): FieldError[] {
  return cost > maxCost ? [forbidden(field, tooMuch(name, cost / maxCost))] : [];
}

/** Refuses rules that are too expensive together; names the four most expensive. */
export function totalCostErrors(costs: readonly RuleCost[], path: string): FieldError[] {
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total <= maxTotalCost) return [];
  const worst = costs
    .filter(({ cost }) => cost >= maxTotalCost / 100)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, 4);
  const share =
    'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  return [
    ...worst.map(({ field }) => forbidden(field, share)),
    forbidden(path, tooMuch(name, total / maxTotalCost)),
  ];
}

function tooMuch(name: string, factor: number): string {
  return `${name} exceeds budget by factor of ${factorText(factor)} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}

function factorText(factor: number): string {
  if (factor > 100) return 'more than 100x';
  return `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
}
