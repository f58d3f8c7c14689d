import { isDeepStrictEqual } from 'node:util';
import type { Kind } from '../kinds/kind.ts';
import type { KubeObject } from '../kubernetes.ts';
import { type ObservedResource, observeResource } from '../plan/observed.ts';
import type { Area } from './area.ts';
import { areasOf, isIn } from './area.ts';
import { listResources } from './listing.ts';
import { weightOf } from './memory-budget.ts';
import { isSameSpecification, readAgain } from './read.ts';
import type { Run } from './run.ts';
import { type LiveWorld, maxAgeMs } from './state.ts';
import { whenAll } from './when-all.ts';

/** A resource to be reconciled, and until when its specification counts as fresh (milliseconds since the epoch). */
export interface Current {
  readonly world: LiveWorld;
  readonly freshUntil: number;
}

export interface Waiting {
  readonly worlds: readonly LiveWorld[];
  readonly readAt: number;
  /** The areas that were surveyed. Resources of kinds that are in none are not listed again. */
  readonly areas: readonly Area[];
}

/**
 * Keeps the specifications of waiting resources fresh in a long run: returns each resource as it is when
 * its turn comes, undefined if it is gone.
 *
 * Flow: if the specification of the next resource was read more than ten seconds ago, all resources of
 * its kind are listed again, once for all that wait. A resource that was edited, suspended, deleted or
 * reported on by another run meanwhile is read again with its children.
 * Guarantees: a short run lists nothing again, and lists take at most a tenth of a long one. Never
 * throws.
 * Caveats: if listing takes longer than a second, a specification may become ten times as old. If it
 * fails, a `check` reads the resource before its first write.
 */
export function openSpecifications(run: Run, { worlds, readAt, areas }: Waiting) {
  const until = readAt + maxAgeMs;
  const first: Listed = { freshUntil: until, listAfter: until, found: undefined };
  const kinds = new Map<Kind, State>();
  const listedOf = async (kind: Kind): Promise<Listed> => {
    if (!isIn(areas, kind)) return first;
    const state = kinds.get(kind) ?? { listed: first, pending: undefined };
    kinds.set(kind, state);
    if (run.now().getTime() <= state.listed.listAfter) return state.listed;
    const own = worlds.filter((world) => world.kind === kind);
    state.pending ??= list(run, state.listed, { kind, worlds: own, areas });
    state.listed = await state.pending;
    state.pending = undefined;
    return state.listed;
  };
  return async (run: Run, world: LiveWorld): Promise<Current | undefined> => {
    const { freshUntil, found } = await listedOf(world.kind);
    if (found === undefined) return { world, freshUntil };
    const fresh = found.get(world.resource.uid);
    if (fresh !== undefined) return { world: { ...world, resource: fresh }, freshUntil };
    const now = run.now().getTime();
    try {
      const limited = { ...run, cluster: run.cluster.withTimeout(maxAgeMs) };
      const again = await readAgain(limited, world);
      return again && { world: again, freshUntil: now + maxAgeMs };
    } catch {
      return { world, freshUntil: 0 };
    }
  };
}

interface State {
  listed: Listed;
  pending: Promise<Listed> | undefined;
}

interface Listed {
  readonly freshUntil: number;
  readonly listAfter: number;
  readonly found: ReadonlyMap<string, ObservedResource> | undefined;
}

interface WaitingOfKind extends Pick<Waiting, 'worlds' | 'areas'> {
  readonly kind: Kind;
}

/** Lists all waiting resources of one kind; if that fails, returns what was known before. */
async function list(
  run: Run,
  known: Listed,
  { kind, worlds, areas }: WaitingOfKind,
): Promise<Listed> {
  const limited = { ...run, cluster: run.cluster.withTimeout(maxAgeMs) };
  const awaited = new Map(worlds.map(({ resource }) => [resource.uid, resource]));
  const found = new Map<string, ObservedResource>();
  const keep = (live: KubeObject): void => {
    const { uid, namespace = '' } = live.metadata;
    const before = awaited.get(uid);
    if (before === undefined) return;
    const fresh = observeResource(kind, live, run);
    // A resource that was edited, or that another run has reported on, is read again in its turn.
    if (!isSameSpecification(fresh, before) || !isDeepStrictEqual(fresh.status, before.status))
      return;
    // The specification is equal, so it is kept once.
    const { spec: _, ...rest } = fresh;
    if (run.memoryBudget.admit(namespace, weightOf(rest)))
      found.set(uid, { ...rest, spec: before.spec });
  };
  const readAt = run.now().getTime();
  const listAfter = (): number => {
    const tookMs = run.now().getTime() - readAt;
    return readAt + Math.max(maxAgeMs, 10 * tookMs);
  };
  try {
    await whenAll(areasOf(worlds, areas).map((area) => listResources(limited, area, kind, keep)));
    return { freshUntil: listAfter(), listAfter: listAfter(), found };
  } catch {
    return { ...known, listAfter: listAfter() };
  }
}
