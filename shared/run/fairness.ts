import { hash } from 'node:crypto';
import { isEdited } from '../plan/observed/observed-resource.ts';
import { roundRobin } from '../plan/round-robin.ts';
import type { LiveWorld } from './run.ts';

/**
 * Alternates edited resources with the others, and namespaces within each group, all shuffled by the run's seed.
 *
 * Guarantees: no group and no namespace starves another. In a group of m namespaces, each of the n resources of a
 * namespace is among the first k resources of the run with a probability p ≥ min(1, ⌊k/2⌋/(m·n)). It misses t runs in a
 * row with a probability of at most (1 − p)^t.
 */
export function fairOrder(work: readonly LiveWorld[], seed: number): readonly LiveWorld[] {
  const groups = Map.groupBy(work, ({ resource }) => isEdited(resource));
  return roundRobin([true, false].map((one) => byNamespace(groups.get(one) ?? [], seed)));
}

function byNamespace(worlds: readonly LiveWorld[], seed: number): readonly LiveWorld[] {
  const namespaces = [...Map.groupBy(worlds, ({ resource }) => resource.namespace)];
  const queues = shuffled(namespaces, seed, ([namespace]) => namespace);
  return roundRobin(queues.map(([, own]) => shuffled(own, seed, ({ resource }) => resource.uid)));
}

/** In milliseconds. */
export interface TimeBudget {
  readonly left: number;
  /** The time left when the first resource's turn began. */
  readonly total: number;
  /** Resources whose turn has not begun yet, including the next resource. */
  readonly waiting: number;
  readonly concurrency: number;
  /** True for a later pass, in which each resource gets enough time for the slowest admission webhook. */
  readonly isLater?: boolean;
}

/** The minimum share of a resource, enough for a slow server. `shareOf` goes lower if the deadline is short. */
const leastMs = 10_000;

/** Time for a resource's Events and status, in addition to its share of the time. */
export const commitMs = 5_000;

/** Time to finish, after the deadline, resources under way. Terraform lets a function time out another 30 s later. */
export const graceMs = leastMs + commitMs;

/** The minimum in a later pass: longer than the 30 s for which the API server waits for a webhook. */
const leastAgainMs = 35_000;

/**
 * Returns the time for the next resource: an equal part of the time left, but at least the minimum. The equal part is
 * at most half of the time left, so that a resource that hangs can be resumed.
 *
 * Guarantees: if an equal part is at least the minimum, the run gets to every resource. Otherwise its first pass gets
 * to at least concurrency · T / min(10 s, T / 4) resources, never fewer than 4 · concurrency; T is the run's time.
 */
export function shareOf({ left, total, waiting, concurrency, isLater }: TimeBudget): number {
  const fair = Math.min((left * concurrency) / waiting, left / 2);
  return Math.max(fair, isLater ? Math.min(leastAgainMs, left) : Math.min(leastMs, total / 4));
}

export const firstTryOf = (total: number): number => Math.max(1_000, Math.min(2_000, total / 20));

export const limitOfWrite = (firstTryMs: number, left: number, waiting: number): number =>
  Math.max(250, Math.min(firstTryMs, left / waiting));

/** Different seeds give independent orders. */
export function shuffled<T>(items: readonly T[], seed: number, nameOf: (item: T) => string) {
  return items
    .map((item) => ({ item, rank: hash('sha256', `${seed} ${nameOf(item)}`) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ item }) => item);
}
