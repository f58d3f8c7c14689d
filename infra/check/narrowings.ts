import { canonicalJson, isMap } from '../../shared/canonical.ts';
import type { Json } from '../../shared/kubernetes.ts';
import { truncate } from '../../shared/printable.ts';

/** The keywords of a structural schema that are compared. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** A keyword that accepts less than before. */
export interface Narrowing {
  /** `maximum 10 → 5` */
  readonly what: string;
  readonly refuses: (value: Json) => boolean;
}

/** Undefined if the schema accepts any type. */
export const typeOf = (schema: Schema): string | undefined =>
  schema['x-kubernetes-int-or-string'] ? 'int-or-string' : schema.type;

export function refusesType(type: string, value: Json): boolean {
  const isInteger = Number.isInteger(value);
  if (type === 'integer') return !isInteger;
  if (type === 'int-or-string') return !isInteger && typeof value !== 'string';
  if (type === 'array') return !Array.isArray(value);
  return type === 'object' ? !isMap(value) : typeof value !== type;
}

/** Compares keywords about the value itself, not keywords about its fields and items. */
export const bounds = (before: Schema, after: Schema): readonly Narrowing[] => [
  ...values(before, after),
  ...text(before, after),
  ...limits(before, after),
  ...sizes.flatMap(([name, of, sign]) => {
    const [was, is] = [before[name], after[name]];
    if (is === undefined || (was !== undefined && sign * is >= sign * was)) return [];
    return narrowing(name, [was, is], (value) => {
      const size = of(value);
      return size !== undefined && sign * size > sign * is;
    });
  }),
];

const narrowing = (
  name: string,
  [was, is]: readonly [unknown, unknown],
  refuses: Narrowing['refuses'],
): readonly Narrowing[] => [
  { what: truncate(`${name} ${was === undefined ? '' : `${was} → `}${is}`, 400), refuses },
];

function values({ enum: was }: Schema, { enum: is }: Schema): readonly Narrowing[] {
  if (is === undefined) return [];
  const allowed = new Set(is.map((value) => canonicalJson(value)));
  const gone = was?.map((value) => canonicalJson(value)).filter((value) => !allowed.has(value));
  if (gone?.length === 0) return [];
  const what = gone
    ? `enum loses ${truncate(gone.join(', '), 200)}`
    : `enum ${truncate([...allowed].join(', '), 200)}`;
  return [{ what, refuses: (value) => !allowed.has(canonicalJson(value)) }];
}

function text(before: Schema, after: Schema): readonly Narrowing[] {
  const { pattern, format } = after;
  return [
    ...(pattern === undefined || pattern === before.pattern
      ? []
      : narrowing('pattern', [before.pattern, pattern], (value) => !matches(pattern, value))),
    // Ignores the format of a number, such as int64, because it only selects a type in Go.
    ...(format === undefined || format === before.format || after.type !== 'string'
      ? []
      : narrowing('format', [before.format, format], () => true)),
  ];
}

/** A pattern that only RE2 understands counts as matching no string. */
function matches(pattern: string, value: Json): boolean {
  try {
    return typeof value !== 'string' || new RegExp(pattern, 'u').test(value);
  } catch {
    return false;
  }
}

const lengthOf = (value: Json): number | undefined =>
  typeof value === 'string' ? [...value].length : undefined;
const itemsIn = (value: Json): number | undefined =>
  Array.isArray(value) ? value.length : undefined;
const fieldsIn = (value: Json): number | undefined =>
  isMap(value) ? Object.keys(value).length : undefined;

/** The keywords that bound a size, each with a function that measures it; -1 marks lower bounds, 1 upper bounds. */
const sizes = [
  ['minLength', lengthOf, -1],
  ['maxLength', lengthOf, 1],
  ['minItems', itemsIn, -1],
  ['maxItems', itemsIn, 1],
  ['minProperties', fieldsIn, -1],
  ['maxProperties', fieldsIn, 1],
] as const;

/** Undefined for ±(2^53 - 1), because every integer in a CRD has that bound. */
function limitIn(schema: Schema, name: 'minimum' | 'maximum'): number | undefined {
  const limit = schema[name];
  return Math.abs(limit ?? 0) >= Number.MAX_SAFE_INTEGER ? undefined : limit;
}

function limits(before: Schema, after: Schema): readonly Narrowing[] {
  const { multipleOf } = after;
  return [
    ...(['minimum', 'maximum'] as const).flatMap((name) => {
      const sign = name === 'maximum' ? 1 : -1;
      const excludes = name === 'maximum' ? 'exclusiveMaximum' : 'exclusiveMinimum';
      const [was, is] = [limitIn(before, name), limitIn(after, name)];
      const isOpen = after[excludes] === true;
      if (is === undefined) return [];
      const isSame = was === is && (!isOpen || before[excludes] === true);
      if (isSame || (was !== undefined && sign * is > sign * was)) return [];
      const shown = (bound: number | undefined, open: boolean | undefined) =>
        open ? `${bound} (exclusive)` : bound;
      return narrowing(
        name,
        [shown(was, before[excludes]), shown(is, isOpen)],
        (value) =>
          typeof value === 'number' &&
          (isOpen ? sign * value >= sign * is : sign * value > sign * is),
      );
    }),
    ...(multipleOf === undefined || (before.multipleOf ?? 0.5) % multipleOf === 0
      ? []
      : narrowing(
          'multipleOf',
          [before.multipleOf, multipleOf],
          (value) => typeof value === 'number' && !Number.isInteger(value / multipleOf),
        )),
  ];
}
