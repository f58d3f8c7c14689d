/** Checks values from a kind's code at run time, because Node runs TypeScript without checking types. */

import { isFields, type JsonFields } from '../../json.ts';
import { quote } from '../../printable.ts';

/** Returns problems to append to the value's path, such as ` is 5; it must be a string`. */
export type Shape = (value: unknown) => readonly string[];

type Shapes = Readonly<Record<string, Shape>>;

const none: readonly string[] = [];

/** `want` is such as `a string`. */
export const must =
  (is: (value: unknown) => boolean, want: string): Shape =>
  (value) =>
    is(value) ? none : [` is ${quote(value)}; it must be ${want}`];

export const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined ? none : shape(value);

export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '';

export const aText = must(isText, 'a string');
export const anyString = must((value) => typeof value === 'string', 'a string');
export const anObject = must(isFields, 'an object');
export const aFunction = must((value) => typeof value === 'function', 'a function');

export const matching = (pattern: RegExp, want: string): Shape =>
  must((value) => typeof value === 'string' && pattern.test(value), want);

export const integerFrom = (least: number, most: number, want: string): Shape =>
  must(
    (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
    want,
  );

export const oneOf = (...allowed: readonly unknown[]): Shape =>
  must(
    (value) => allowed.includes(value),
    new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(allowed.map(quote)),
  );

/** Begins each problem with `[0]` or `.name`. Allocates nothing without problems: runs check every child. */
function problemsIn<Part>(
  parts: Iterable<Part>,
  shapeOf: (part: Part) => readonly string[],
  stepOf: (part: Part) => string,
): readonly string[] {
  let all = none;
  for (const part of parts) {
    const problems = shapeOf(part);
    if (problems.length > 0) all = [...all, ...problems.map((problem) => stepOf(part) + problem)];
  }
  return all;
}

export const listOf = (shape: Shape): Shape =>
  and(must(Array.isArray, 'a list'), (value) =>
    problemsIn(
      (value as readonly unknown[]).entries(),
      ([, item]) => shape(item),
      ([at]) => `[${at}]`,
    ),
  );

const stepTo = ([name]: readonly [string, unknown]): string => `.${name}`;

export const mapOf = (shape: Shape, want = 'an object'): Shape =>
  and(must(isFields, want), (value) =>
    problemsIn(Object.entries(value as JsonFields), ([, one]) => shape(one), stepTo),
  );

/** Allows other fields. */
export const objectWith = (shapes: Shapes): Shape => {
  const fields = Object.entries(shapes);
  return and(must(isFields, `{ ${Object.keys(shapes).join(', ')} }`), (value) =>
    problemsIn(fields, ([name, shape]) => shape((value as JsonFields)[name]), stepTo),
  );
};

/** Allows no other fields. */
export const withOnly = (shapes: Shapes): Shape => {
  const known = Object.keys(shapes);
  const shape = objectWith(shapes);
  return (value) => {
    const names = isFields(value) ? Object.keys(value) : [];
    const unknown = names.filter((name) => !known.includes(name));
    return [
      ...unknown.map((name) => `.${name} is not a field; the fields are ${known.join(', ')}`),
      ...shape(value),
    ];
  };
};

/** Stops at the first shape that refuses the value. */
export const and =
  (...shapes: readonly Shape[]): Shape =>
  (value) => {
    for (const shape of shapes) {
      const problems = shape(value);
      if (problems.length > 0) return problems;
    }
    return none;
  };

/** `problem` follows the path in the message, such as ` is a list`. */
export const given =
  (is: (fields: JsonFields) => boolean, problem: string): Shape =>
  (value) =>
    is(value as JsonFields) ? none : [problem];

export const isType = (value: unknown): boolean =>
  isFields(value) && isText(value.kind) && isText(value.plural) && typeof value.group === 'string';

export const aType = must(
  isType,
  'a child type, such as configMap, or a kind (undefined usually means that two files import each other)',
);

export function throwAny(subject: string, problems: readonly string[], path = ''): void {
  if (problems.length > 0)
    throw new Error(problems.map((problem) => `${subject}: ${path}${problem}`).join('\n'));
}
