import { Type } from 'serverless-reconciler';

/** Any values. Names within an object are joined by dots, and a list gives an option several times. */
export const options = Type.Record(Type.String(), Type.Unknown(), { default: {} });

/** The values of options by their full names. */
export type Options = Readonly<Record<string, string | readonly string[]>>;

type Values = Readonly<Record<string, unknown>>;

/** Returns the part of a spec with its options under their full names. */
export const flat = <Part extends { readonly options: Values }>(part: Part) => {
  const named = entriesOf(part.options).map(([name, value]): [string, Options[string]] => [
    name,
    Array.isArray(value) ? value.map(String) : String(value),
  ]);
  return { ...part, options: Object.fromEntries(named) as Options };
};

/** Names an option whose list has anything but single values. */
export const unusableOption = (given: Values): string | undefined =>
  entriesOf(given).find(
    ([, value]) => Array.isArray(value) && value.some((item) => typeof item === 'object'),
  )?.[0];

/** Null is the same as no value. Of two values with one full name, the one that is nested less is used. */
const entriesOf = (given: object, prefix = ''): readonly (readonly [string, unknown])[] =>
  Object.entries(given)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, value]) => {
      if (value === null) return [];
      const isNested = typeof value === 'object' && !Array.isArray(value);
      return isNested ? entriesOf(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value]];
    });

/** Returns options as texts, each with commas between its values, as most options accept them. */
export const textsOf = (given: Options): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.toString()]));

export const argsOf = (given: Options): string[] =>
  Object.keys(given)
    .toSorted()
    .flatMap((name) => [given[name]].flat().map((value) => `--${name}=${value}`));
