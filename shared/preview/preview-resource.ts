import { keyOf } from '../kubernetes.ts';
import type { Decision } from '../plan/decision/decision.ts';
import type { ObservedChild } from '../plan/observed/observed.ts';
import { isOwn, type World } from '../plan/observed/world.ts';
import type { Plan } from '../plan/plan.ts';
import { readChild, readResource } from '../reading/read.ts';
import { type Planning, planResource } from '../resource/plan-resource.ts';
import { StaleError } from '../resource/turn.ts';
import type { LiveWorld, Run } from '../run/run.ts';

export interface ResourcePreview {
  readonly state: Planning;
  readonly planned: Plan;
}

/** Limit of rounds of reading, in case others create and delete an object in each round. */
const maxRounds = 5;

/**
 * Plans one resource, reads by name the children that it would create or adopt, and plans again.
 *
 * Guarantees: no child is newer than the spec that it is compared with. Returns undefined if the resource is
 * gone.
 */
export async function previewResource(
  run: Run,
  world: LiveWorld,
  { adopts = false }: { readonly adopts?: boolean } = {},
): Promise<ResourcePreview | undefined> {
  world.foresees = true;
  world.adopts = adopts;
  const state: Planning = { run, world, outcomes: new Map() };
  const adopted = new Set<string>();
  for (let rounds = 0; ; rounds++) {
    state.outcomes.clear();
    const planned = await planResource(state).catch((error: unknown) => {
      if (error instanceof StaleError) return error;
      throw error;
    });
    if (planned instanceof StaleError) {
      if (rounds === maxRounds) throw planned;
      if (planned.target !== undefined) await readChild(run, world, planned.target);
    } else {
      const { decisions = [], exposures = [] } = planned.state === 'planned' ? planned : {};
      const unread = [...decisions, ...exposures].filter((one) => needsRead(one, world, adopted));
      if (unread.length === 0 || rounds === maxRounds) return { state, planned };
      for (const { child } of unread) adopted.add(keyOf(child));
      const found = await Promise.all(
        unread.map(({ type, child }) => readChild(run, world, { ...child, type })),
      );
      if (found.every((live) => live === undefined)) continue;
    }
    const resource = await readResource(run, world);
    if (resource === undefined) return undefined;
    world.resource = resource;
  }
}

/** Reports whether a write makes the resource the owner of an existing child. */
export const isAdoption = (
  { verb }: Decision,
  observed: ObservedChild | undefined,
  { resource }: World,
): boolean => verb === 'update' && observed !== undefined && !isOwn(resource, observed);

function needsRead(decision: Decision, world: LiveWorld, adopted: ReadonlySet<string>): boolean {
  const key = keyOf(decision.child);
  if (decision.verb === 'create') return !world.absent.has(key);
  return !adopted.has(key) && isAdoption(decision, world.children.get(key), world);
}
