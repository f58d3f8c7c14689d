import type { Random } from '../../chaos/random.ts';

/** Makes a value by chance. */
export type Maker = (random: Random) => unknown;

/** Stands for a field to omit. */
export const absent = Symbol('absent');

export const one =
  (...values: readonly unknown[]): Maker =>
  (random) =>
    make(random.pick(values), random);

/** Present once in `oneIn` times. */
export const rarely =
  (oneIn: number, maker: unknown): Maker =>
  (random) =>
    random.chance(1 / oneIn) ? make(maker, random) : absent;

export const maybe = (maker: unknown): Maker => rarely(2, maker);

/** Builds an object from functions; omits the fields whose function returns `absent`. */
export const record =
  (fields: Readonly<Record<string, unknown>>): Maker =>
  (random) =>
    Object.fromEntries(
      Object.entries(fields)
        .map(([key, field]) => [key, make(field, random)] as const)
        .filter(([, value]) => value !== absent),
    );

/** Builds a map; omits it if it would be empty. */
export const filled =
  (fields: Readonly<Record<string, unknown>>): Maker =>
  (random) => {
    const value = record(fields)(random) as object;
    return Object.keys(value).length === 0 ? absent : value;
  };

export const list =
  (least: number, most: number, item: unknown): Maker =>
  (random) =>
    Array.from({ length: least + random.below(most - least + 1) }, () => make(item, random));

/** Chooses some of the items, each at most once, in their order. */
export const some =
  (...items: readonly unknown[]): Maker =>
  (random) =>
    items.filter(() => random.chance(0.6)).map((item) => make(item, random));

export function make(given: unknown, random: Random): unknown {
  return typeof given === 'function' ? (given as Maker)(random) : given;
}
