import { createHash } from 'node:crypto';
import { isEdited } from '../plan/pruning.ts';
import type { View } from './view.ts';

/**
 * The order in which a run takes its resources: edited ones (new ones among them) and the rest in
 * turn, each shuffled by a hash of uid and start of the run.
 *
 * Guarantees: of the first k at least half, rounded down, are of either group, if it has as many, so
 * neither starves the other; the orders of two runs are independent of each other, whatever the time
 * between them, and nothing is stored. A resource of a group of n is among the first k with a
 * probability of at least ⌊k/2⌋/n, so not in t runs in a row with (1 − ⌊k/2⌋/n)^t at most.
 */
export function fairOrder(work: readonly View[], started: Date): readonly View[] {
  const edited = shuffled(work.filter(isEditedView), started);
  const rest = shuffled(
    work.filter((view) => !isEditedView(view)),
    started,
  );
  const both = Math.min(edited.length, rest.length);
  return [
    ...edited.slice(0, both).flatMap((view, at) => [view, ...rest.slice(at, at + 1)]),
    ...edited.slice(both),
    ...rest.slice(both),
  ];
}

const isEditedView = ({ resource }: View): boolean => isEdited(resource);

function shuffled(views: readonly View[], started: Date): readonly View[] {
  const time = started.getTime();
  const rankOf = ({ resource }: View): string =>
    createHash('sha256').update(`${time} ${resource.uid}`).digest('hex');
  return views
    .map((view) => ({ view, rank: rankOf(view) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ view }) => view);
}
