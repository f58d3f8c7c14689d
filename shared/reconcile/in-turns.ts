/** The first of each queue, then the second of each that has one, and so on. */
export const inTurns = <T>(queues: readonly (readonly T[])[]): readonly T[] =>
  queues
    .flatMap((queue) => queue.map((item, turn) => ({ item, turn })))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ item }) => item);
