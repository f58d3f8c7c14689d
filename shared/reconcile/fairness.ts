import { createHash } from 'node:crypto';
import { isEdited } from '../plan/edited.ts';
import type { LiveWorld } from './state.ts';

/**
 * The order in which a run takes its resources: edited ones (new ones included) and the rest
 * alternate, and in either group the namespaces take turns; namespaces, and resources within one, are
 * shuffled by a hash of the start of the run.
 *
 * Guarantees: of the first k at least half, rounded down, are of either group, if it has as many, and
 * of the first h of a group at least ⌊h/m⌋ are of each of its m namespaces, if it has as many: neither
 * group and no namespace starves another. The orders of two runs are independent of each other,
 * whatever the time between them, and nothing is stored. One of n resources of a namespace in a group
 * is among the first k with a probability p of at least ⌊k/2⌋/(m·n), so not in t runs in a row with
 * (1 − p)^t at most.
 */
export function fairOrder(work: readonly LiveWorld[], started: Date): readonly LiveWorld[] {
  const seed = started.getTime();
  const edited = byNamespace(work.filter(isEditedWorld), seed);
  const rest = byNamespace(
    work.filter((world) => !isEditedWorld(world)),
    seed,
  );
  const both = Math.min(edited.length, rest.length);
  return [
    ...edited.slice(0, both).flatMap((world, at) => [world, ...rest.slice(at, at + 1)]),
    ...edited.slice(both),
    ...rest.slice(both),
  ];
}

const isEditedWorld = ({ resource }: LiveWorld): boolean => isEdited(resource);

function byNamespace(worlds: readonly LiveWorld[], seed: number): readonly LiveWorld[] {
  const namespaces = [...Map.groupBy(worlds, ({ resource }) => resource.namespace)];
  const queues = shuffled(namespaces, seed, ([namespace]) => namespace);
  return roundRobin(queues.map(([, own]) => shuffled(own, seed, ({ resource }) => resource.uid)));
}

/** Where a run stands; times in milliseconds. */
export interface TimeBudget {
  /** Time until the deadline, and what there was of it at the start. */
  readonly left: number;
  readonly total: number;
  /** Resources that were not begun yet, the next one included. */
  readonly waiting: number;
  /** How many are reconciled at once. */
  readonly slots: number;
}

/** Enough for a slow server, and with a short deadline for four resources one after another. */
const leastMs = 10_000;

/**
 * How long the next resource may take, in milliseconds: an equal share of what is left for all that
 * wait, and at most half of it, so that one that hangs can be taken up again.
 *
 * Guarantees: every resource has a turn in this run, if an equal share is no less than the minimum; else
 * at least four times as many as there are slots have one.
 */
export function shareOf({ left, total, waiting, slots }: TimeBudget): number {
  const fair = Math.min((left * slots) / waiting, left / 2);
  return Math.max(fair, Math.min(leastMs, total / 4));
}

/** The first of each queue, then the second of each that has one, and so on. */
export const roundRobin = <T>(queues: readonly (readonly T[])[]): readonly T[] =>
  queues
    .flatMap((queue) => queue.map((item, turn) => ({ item, turn })))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ item }) => item);

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
