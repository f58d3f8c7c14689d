/** Random choices that repeat for the same seed. */
export interface Random {
  /** Returns an integer of at least 0 and below `limit`. */
  readonly below: (limit: number) => number;
  /** Returns one of the items, of which there must be at least one. */
  readonly pick: <T>(items: readonly T[]) => T;
  readonly chance: (probability: number) => boolean;
}

/** Mulberry32: 32 bits of state are enough for choices, and a seed is short enough to type. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: <T>(items: readonly T[]): T => {
      if (items.length === 0) throw new RangeError('nothing to pick from');
      return items[below(items.length)] as T;
    },
    chance: (probability) => next() < probability,
  };
}
