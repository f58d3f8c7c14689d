import { areasOf, isIn } from './area.ts';
import type { Run } from './run.ts';
import { type Current, openSpecifications, type Waiting } from './specifications.ts';
import type { LiveWorld } from './state.ts';
import { surveyAll } from './survey-all.ts';

/** How often one run surveys again, and the share of its time that all of these take. */
const maxRenewals = 32;
const shareOfTime = 0.1;

/** Which part of the waiting resources another run may have been met at before the next survey. */
const toleratedShare = 0.01;

interface Renewed {
  readonly worlds: ReadonlyMap<string, LiveWorld>;
  readonly currentOf: (run: Run, world: LiveWorld) => Promise<Current | undefined>;
}

/**
 * Returns each resource as it is when its turn comes, undefined if it is gone. Where another run is at
 * work on the same resources, those that wait are surveyed again: what it has done is not tried again.
 *
 * Guarantees: at most 32 surveys, which take a tenth of the run's time at most. Never throws.
 * Caveats: a resource that is not found again, or not as a whole, is taken as it was read before.
 */
export function openRenewals(run: Run, first: Waiting) {
  const { areas } = first;
  const waiting = new Map(
    first.worlds
      .filter(({ kind }) => isIn(areas, kind))
      .map((world) => [world.resource.uid, world]),
  );
  const memoryBudget = run.memoryBudget.part();
  const now = (): number => run.now().getTime();
  const firstOf = openSpecifications(run, first);
  let renewed: Renewed = { worlds: new Map(), currentOf: firstOf };
  let pending: Promise<Renewed> | undefined;
  let met = 0;
  let left = waiting.size === 0 ? 0 : maxRenewals;
  let leftMs = (run.deadline - now()) * shareOfTime;
  const renew = async (): Promise<Renewed> => {
    const readAt = now();
    const own = { ...run, memoryBudget, cluster: run.cluster.withTimeout(leftMs) };
    memoryBudget.close();
    const worlds = [...waiting.values()];
    const found = await surveyAll(own, areasOf(worlds, areas), new Set(waiting.keys()));
    left = found.incomplete.length > 0 ? 0 : left - 1;
    leftMs -= now() - readAt;
    met = 0;
    pending = undefined;
    const usable = found.work.filter(isWhole);
    return {
      worlds: new Map(usable.map((world) => [world.resource.uid, world])),
      currentOf: openSpecifications({ ...run, memoryBudget }, { worlds: usable, readAt, areas }),
    };
  };
  const isDue = (): boolean =>
    met > 0 && met >= toleratedShare * waiting.size && left > 0 && leftMs > 0;
  return {
    /** A resource was met at which another run is at work. */
    onOtherRun(): void {
      met++;
    },
    async currentOf(own: Run, world: LiveWorld): Promise<Current | undefined> {
      const { uid } = world.resource;
      if (isDue()) pending ??= renew();
      if (pending !== undefined) renewed = await pending;
      waiting.delete(uid);
      const found = renewed.worlds.get(uid);
      return found === undefined ? firstOf(own, world) : renewed.currentOf(own, found);
    },
    close: memoryBudget.close,
  };
}

/** A child may be unreadable as there was no memory beside what the run holds already. */
const isWhole = ({ children }: LiveWorld): boolean =>
  [...children.values()].every(({ unreadable }) => unreadable === undefined);
