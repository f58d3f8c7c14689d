import type { Random } from '../../chaos/random.ts';
import type { Maker } from './random.ts';

/** The keywords of a structural schema that restrict a value. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

const words = ['a', 'b', 'web', 'latest', '1', '64Mi', '/a', '/b/c', ''];

/** Returns values that a schema describes, few enough to recur; some just outside its bounds. */
export const ofSchema =
  (given: object): Maker =>
  (random) =>
    oneOf(given, random);

function oneOf(schema: Schema, random: Random): unknown {
  if (schema.nullable === true && random.chance(0.2)) return null;
  if (schema.default !== undefined && random.chance(0.2)) return schema.default;
  if (schema.enum !== undefined) return random.chance(0.95) ? random.pick(schema.enum) : 'other';
  if (schema['x-kubernetes-int-or-string'] === true) return random.pick([80, 'http', '80']);
  switch (schema.type) {
    case 'object':
      return objectOf(schema, random);
    case 'array':
      return listOf(schema, random);
    case 'integer':
      return numberOf(schema, random);
    case 'number':
      return random.pick([0, 0.5, 1.5, 2, -1]);
    case 'boolean':
      return random.chance(0.5);
    case 'string':
      return textOf(schema, random);
    default:
      return random.pick<unknown>([{}, { a: 1 }, 'a', 1, [1, 'b'], { a: { b: [] } }]);
  }
}

function objectOf(schema: Schema, random: Random): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.entries(properties)
    .filter(([name]) => random.chance(required.includes(name) ? 0.98 : 0.4))
    .map(([name, field]) => [name, oneOf(field, random)] as const);
  if (typeof additionalProperties !== 'object') return Object.fromEntries(fields);
  const more = ['a', 'b'].filter(() => random.chance(0.5));
  return Object.fromEntries([
    ...fields,
    ...more.map((name) => [name, oneOf(additionalProperties, random)] as const),
  ]);
}

function listOf({ items = {}, minItems = 0, maxItems = 3 }: Schema, random: Random): unknown[] {
  const length = Math.min(minItems + random.below(3), Math.max(maxItems, 1));
  return Array.from({ length }, () => oneOf(items, random));
}

function numberOf({ minimum = 0, maximum = 3 }: Schema, random: Random): number {
  if (random.chance(0.04)) return random.pick([minimum - 1, maximum + 1]);
  return random.pick([minimum, minimum + 1, minimum + 2, maximum]);
}

function textOf({ minLength, maxLength, pattern, format }: Schema, random: Random): string {
  if (format === 'date-time')
    return random.pick(['2026-01-02T03:04:05Z', '2026-01-02T03:04:05+01:00']);
  if (maxLength !== undefined && maxLength < 300 && random.chance(0.03)) {
    return 'a'.repeat(maxLength + random.below(2));
  }
  if (random.chance(0.05)) return random.pick(['', 'Bad_Name!', 'ä']);
  const fitting = words.filter(
    (word) =>
      word.length >= (minLength ?? 0) &&
      (pattern === undefined || new RegExp(pattern, 'u').test(word)),
  );
  return random.pick(fitting.length === 0 ? ['a'] : fitting);
}
