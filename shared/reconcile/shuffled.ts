import { createHash } from 'node:crypto';

/** In an order that depends on the seed alone, and is independent of that of another seed. */
export function shuffled<T>(
  items: readonly T[],
  seed: number,
  nameOf: (item: T) => string,
): readonly T[] {
  const rankOf = (item: T): string =>
    createHash('sha256')
      .update(`${seed} ${nameOf(item)}`)
      .digest('hex');
  return items
    .map((item) => ({ item, rank: rankOf(item) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ item }) => item);
}
