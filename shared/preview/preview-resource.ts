import { type KubeObject, keyOf } from '../kubernetes.ts';
import { isReadinessOpen } from '../plan/decision/child-after.ts';
import type { Decision } from '../plan/decision/decision.ts';
import { needsLive } from '../plan/decision/steps.ts';
import type { ObservedChild } from '../plan/observed/observed.ts';
import { isOwn } from '../plan/observed/ownership.ts';
import type { World } from '../plan/observed/world.ts';
import type { Plan } from '../plan/plan.ts';
import { readChild, readResource } from '../reading/read.ts';
import { planResource } from '../resource/plan-resource.ts';
import { StaleError } from '../resource/stale.ts';
import type { Run } from '../run/run.ts';
import { beginState, type LiveWorld, maxAgeMs, type ReconcileState } from '../run/state.ts';

/** The plan for one resource, and what it is based on. */
export interface ResourcePreview {
  readonly state: ReconcileState;
  readonly planned: Plan;
  /** The complete objects of children whose steps depend on them. */
  readonly lives: ReadonlyMap<string, KubeObject>;
}

/** Limit of rounds of reading, because others may create and delete an object in each. */
const maxRounds = 5;

/**
 * Plans one resource, reads by name the children that would be created or whose whole object is needed, and
 * plans again.
 *
 * Guarantees: no child is newer than the spec that it is compared with. Returns undefined if the resource
 * is gone.
 */
export async function previewResource(
  run: Run,
  world: LiveWorld,
  { asks = true, adopts = false }: { readonly asks?: boolean; readonly adopts?: boolean } = {},
): Promise<ResourcePreview | undefined> {
  world.foresees = asks;
  world.adopts = adopts;
  const state = beginState(world, run.clients.now().getTime() + maxAgeMs);
  const lives = new Map<string, KubeObject>();
  for (let rounds = 0; ; rounds++) {
    state.outcomes.clear();
    const planned = await planResource(run, state).catch(staleness);
    if (planned instanceof StaleError) {
      if (rounds === maxRounds) throw planned;
      if (planned.target !== undefined) await readChild(run, world, planned.target);
      const resource = await readResource(run, world);
      if (resource === undefined) return undefined;
      world.resource = resource;
      continue;
    }
    const wanted = planned.state === 'planned' ? [...planned.decisions, ...planned.exposures] : [];
    const unread = wanted.filter((one) => needsRead(one, world, lives));
    if (unread.length === 0 || rounds === maxRounds) return { state, planned, lives };
    const found = await Promise.all(unread.map((one) => readWhole(run, world, { ...one, lives })));
    if (!found.includes(true)) continue;
    const resource = await readResource(run, world);
    if (resource === undefined) return undefined;
    world.resource = resource;
  }
}

/** The error, if it is that a child changed while the plan was made. */
function staleness(error: unknown): StaleError {
  if (error instanceof StaleError) return error;
  throw error;
}

/** Reports whether a write makes the resource the owner of an existing child. */
export const isAdoption = (
  { verb }: Decision,
  observed: ObservedChild | undefined,
  { resource }: World,
): boolean => verb === 'update' && observed !== undefined && !isOwn(resource, observed);

function needsRead(
  decision: Decision,
  world: LiveWorld,
  lives: ReadonlyMap<string, KubeObject>,
): boolean {
  const key = keyOf(decision.child);
  if (decision.verb === 'create') return !world.absent.has(key);
  if (lives.has(key)) return false;
  if (isAdoption(decision, world.children.get(key), world)) return true;
  return needsLive(decision) || isReadinessOpen(decision, world.children.get(key), world);
}

/** Reads the complete object and reports whether it exists. */
async function readWhole(
  run: Run,
  world: LiveWorld,
  { type, child, lives }: Decision & { readonly lives: Map<string, KubeObject> },
): Promise<boolean> {
  const live = await readChild(run, world, { ...child, type });
  if (live === undefined) return false;
  lives.set(keyOf(child), live);
  return true;
}
