import type { ObjectRef } from '../kubernetes.ts';

/** Takes the first item of each queue, then the second of each, and so on. */
export const roundRobin = <T>(queues: readonly (readonly T[])[]): readonly T[] =>
  queues
    .flatMap((queue) => queue.map((item, turn) => ({ item, turn })))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ item }) => item);

/** Takes one object of each namespace in turn: a namespace with many objects does not delay others. */
export const namespacesInTurn = <T extends Pick<ObjectRef, 'namespace'>>(
  refs: readonly T[],
): readonly T[] => roundRobin([...Map.groupBy(refs, ({ namespace }) => namespace).values()]);
