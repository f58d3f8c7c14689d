import { isEdited } from '../plan/edited.ts';
import { inTurns } from './in-turns.ts';
import { shuffled } from './shuffled.ts';
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
  const tenants = [...Map.groupBy(worlds, ({ resource }) => resource.namespace)];
  const queues = shuffled(tenants, seed, ([namespace]) => namespace);
  return inTurns(queues.map(([, own]) => shuffled(own, seed, ({ resource }) => resource.uid)));
}
