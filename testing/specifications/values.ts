import fc from 'fast-check';
import type { StructuralSchema } from '../../shared/kinds/schema/walk.ts';
import type { Json } from '../../shared/kubernetes.ts';
import { likelyStrings, textOfFormat } from './strings.ts';

export interface Hints {
  /** The field's name, which suggests values: for `image`, image references. */
  readonly name: string;
  /** Values in samples. */
  readonly known: readonly Json[];
}

/** Generates the simplest values first. Ignores validation rules. */
export function valuesOf(schema: StructuralSchema, hints: Hints): fc.Arbitrary<Json> {
  const { nullable, enum: options } = schema;
  const some =
    options === undefined ? ofType(schema, hints) : fc.constantFrom(...(options as Json[]));
  return nullable === true ? fc.oneof({ arbitrary: some, weight: 4 }, fc.constant(null)) : some;
}

function ofType(schema: StructuralSchema, hints: Hints): fc.Arbitrary<Json> {
  switch (schema.type) {
    case 'object':
      return objectsOf(schema, hints);
    case 'array':
      return listsOf(schema, hints);
    case 'string':
      return stringsOf(schema, hints);
    case 'integer':
      return integersOf(schema, hints);
    case 'number':
      return fc
        .oneof(integersOf(schema, hints), fc.double(boundsOf(schema)))
        .filter(within(schema));
    case 'boolean':
      return fc.boolean();
    default:
      return 'anyOf' in schema
        ? fc.oneof(integersOf(schema, hints), stringsOf(schema, hints))
        : fc.constantFrom<Json>({}, 'text', 1, ['a', 'b'], { a: { b: [1] } });
  }
}

const fieldsIn = (known: readonly Json[], name: string): readonly Json[] =>
  known.flatMap((one) => {
    const value = (one as Readonly<Record<string, Json | undefined>> | null)?.[name];
    return value === undefined ? [] : [value];
  });

function objectsOf(schema: StructuralSchema, { name, known }: Hints): fc.Arbitrary<Json> {
  const { properties, additionalProperties, required = [] } = schema;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([field, of]) =>
        [field, valuesOf(of, { name: field, known: fieldsIn(known, field) })] as const,
    );
    return fc.record(Object.fromEntries(fields), {
      requiredKeys: [...required],
      noNullPrototype: true,
    });
  }
  if (additionalProperties === undefined) return fc.constant({});
  const values = known.flatMap((one) => Object.values(one ?? {}) as Json[]);
  const { minProperties = 0, maxProperties = mostItems } = schema as Counts;
  return fc.dictionary(
    fc.constantFrom(...new Set([...known.flatMap((one) => Object.keys(one ?? {})), ...keys])),
    valuesOf(additionalProperties, { name, known: values }),
    {
      minKeys: minProperties,
      maxKeys: Math.min(maxProperties, Math.max(mostItems, minProperties)),
      noNullPrototype: true,
    },
  );
}

/** Typical keys of labels, settings, files and resources. */
const keys = ['a', 'LOG_LEVEL', 'app.conf', 'example.org/tier', 'cpu', 'memory'];

const mostItems = 4;

interface Counts {
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

function listsOf(schema: StructuralSchema, { name, known }: Hints): fc.Arbitrary<Json> {
  const { minItems = 0, maxItems = mostItems } = schema as Counts;
  const items = valuesOf(schema.items ?? {}, {
    name,
    known: known.flatMap((one) => (Array.isArray(one) ? (one as Json[]) : [])),
  });
  const size = {
    minLength: minItems,
    maxLength: Math.min(maxItems, Math.max(mostItems, minItems)),
  };
  const listType = schema['x-kubernetes-list-type'];
  if (listType !== 'set' && listType !== 'map') return fc.array(items, size);
  const listKeys = schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  return fc.uniqueArray(items, {
    ...size,
    selector: (item) =>
      JSON.stringify(
        listKeys?.map(
          (key) => fieldsIn([item], key)[0] ?? schema.items?.properties?.[key]?.default,
        ) ?? item,
      ),
  });
}

const largest = Number.MAX_SAFE_INTEGER;

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
}

const within = (schema: StructuralSchema) => (value: Json) => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 } = schema as Bounds;
  const number = Number(value);
  return (
    (minimum === undefined || (exclusiveMinimum === true ? number > minimum : number >= minimum)) &&
    (maximum === undefined || (exclusiveMaximum === true ? number < maximum : number <= maximum)) &&
    (!('multipleOf' in schema) || number % multipleOf === 0)
  );
};

const boundsOf = (schema: StructuralSchema) => {
  const { minimum: min = -1e9, maximum: max = 1e9 } = schema as Bounds;
  return { min, max, noNaN: true, noDefaultInfinity: true };
};

/** Generates integers: mostly small numbers, bounds, and neighbours of known values. */
function integersOf(schema: StructuralSchema, { known }: Hints): fc.Arbitrary<Json> {
  const { minimum = -largest, maximum = largest, multipleOf: step = 1 } = schema as Bounds;
  const isWithin = within(schema);
  const near = known.flatMap((one) =>
    typeof one === 'number' ? [one + step, one - step, one] : [],
  );
  const ends = [minimum, minimum + step, maximum, maximum - step].map(
    (end) => Math.round(end / step) * step,
  );
  const notable = [1, 2, 0, 3, ...near, -1, ...ends].filter(
    (one) => Number.isSafeInteger(one) && isWithin(one),
  );
  const some = fc
    .integer({ min: Math.ceil(minimum / step), max: Math.floor(maximum / step) })
    .map((one) => one * step);
  return notable.length === 0
    ? some.filter(isWithin)
    : fc.oneof(
        { arbitrary: fc.constantFrom(...new Set(notable)), weight: 3 },
        some.filter(isWithin),
      );
}

function stringsOf(schema: StructuralSchema, { name, known }: Hints): fc.Arbitrary<Json> {
  const { minLength = 0, maxLength = 4096 } = schema as Counts;
  const pattern = typeof schema.pattern === 'string' ? schema.pattern : undefined;
  const allowed = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const isAllowed = (text: string): boolean => {
    const length = [...text].length;
    return length >= minLength && length <= maxLength && (allowed?.test(text) ?? true);
  };
  const format = textOfFormat[String(schema.format)];
  const seeds = [...known, schema.default].filter((one) => typeof one === 'string');
  const fitting = format ?? likelyStrings(name, seeds, maxLength).filter(isAllowed);
  const random = allowed === undefined ? wordsOf(minLength, maxLength) : fc.stringMatching(allowed);
  // Generates random strings only if at least one of 50 is allowed: for some patterns, most are too short or too long.
  const isFound =
    format === undefined && fc.sample(random, { seed: 1, numRuns: 50 }).some(isAllowed);
  const choices = [
    ...(fitting.length === 0 ? [] : [{ arbitrary: fc.constantFrom(...fitting), weight: 3 }]),
    ...(isFound ? [random.filter(isAllowed)] : []),
    // Tries an empty string, because kinds often treat it like an absent field.
    ...(format === undefined && isAllowed('') ? [fc.constant('')] : []),
  ];
  return choices.length === 0 ? fc.constant('') : fc.oneof(...choices);
}

const wordsOf = (minLength: number, maxLength: number): fc.Arbitrary<string> => {
  const least = Math.min(Math.max(minLength, 1), maxLength);
  return fc.string({
    unit: fc.constantFrom(...'abcdefgh123'),
    minLength: least,
    maxLength: Math.min(maxLength, least + 7),
  });
};
