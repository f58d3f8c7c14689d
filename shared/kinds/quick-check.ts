type Accept = (value: unknown) => boolean;

type Keywords = Readonly<Record<string, unknown>>;

/**
 * Whether a value is valid, for the keywords that most schemas have. TypeBox's own check interprets the
 * schema for each value, and compiles its patterns anew.
 *
 * Guarantees: what is accepted is valid. What is not may be valid all the same.
 */
export function quickCheckOf(schema: object): Accept {
  const { type } = schema as Keywords;
  const make = typeof type === 'string' ? byType[type] : undefined;
  if (make === undefined) return never;
  const { known, accept } = make(schema as Keywords);
  // Those that are not enumerable, too: TypeBox keeps a refinement so.
  const names = Object.getOwnPropertyNames(schema);
  return names.every((name) => known.includes(name) || notes.includes(name)) ? accept : never;
}

const never: Accept = () => false;

/** What says nothing about validity here: rules are checked apart. */
const notes = [
  ...['type', 'title', 'description', 'default', 'examples', 'x-kubernetes-validations'],
  ...['~kind', '~optional', '~readonly'],
];

interface Made {
  readonly known: readonly string[];
  readonly accept: Accept;
}

const byType: Readonly<Record<string, (schema: Keywords) => Made>> = {
  boolean: () => ({ known: [], accept: (value) => typeof value === 'boolean' }),
  integer: ({ minimum, maximum }) => ({
    known: ['minimum', 'maximum'],
    accept: (value) => Number.isInteger(value) && isWithin(value as number, minimum, maximum),
  }),
  number: ({ minimum, maximum }) => ({
    known: ['minimum', 'maximum'],
    accept: (value) => Number.isFinite(value) && isWithin(value as number, minimum, maximum),
  }),
  string({ pattern, maxLength }) {
    const form = pattern === undefined ? undefined : new RegExp(pattern as string, 'u');
    return {
      known: ['pattern', 'maxLength'],
      // A schema counts characters, of which there are no more than code units.
      accept: (value) =>
        typeof value === 'string' &&
        isWithin(value.length, undefined, maxLength) &&
        (form === undefined || form.test(value)),
    };
  },
  array({ items, minItems, maxItems }) {
    const acceptItem = quickCheckOf((items ?? {}) as object);
    return {
      known: ['items', 'minItems', 'maxItems'],
      accept: (value) =>
        Array.isArray(value) &&
        isWithin(value.length, minItems, maxItems) &&
        value.every(acceptItem),
    };
  },
  object({ properties = {}, required = [] }) {
    const checks = Object.entries(properties as Keywords).map(
      ([name, inner]) => [name, quickCheckOf(inner as object)] as const,
    );
    return {
      known: ['properties', 'required'],
      accept(value) {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
        const fields = value as Keywords;
        for (const name of required as readonly string[])
          if (fields[name] === undefined) return false;
        for (const [name, accept] of checks)
          if (fields[name] !== undefined && !accept(fields[name])) return false;
        return true;
      },
    };
  },
};

const isWithin = (value: number, least: unknown, most: unknown): boolean =>
  (least === undefined || value >= (least as number)) &&
  (most === undefined || value <= (most as number));
