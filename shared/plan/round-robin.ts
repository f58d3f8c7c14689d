import type { ObjectRef } from '../kubernetes.ts';

export const roundRobin = <T>(queues: readonly (readonly T[])[]): readonly T[] =>
  queues
    .flatMap((queue) => queue.map((item, round) => ({ item, round })))
    .toSorted((a, b) => a.round - b.round)
    .map(({ item }) => item);

/** Keeps a namespace with many objects from delaying others. */
export const roundRobinByNamespace = <T extends Pick<ObjectRef, 'namespace'>>(
  refs: readonly T[],
): readonly T[] => roundRobin([...Map.groupBy(refs, ({ namespace }) => namespace).values()]);
