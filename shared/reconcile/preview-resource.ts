import type { KubeObject } from '../kubernetes.ts';
import type { Decision } from '../plan/decision.ts';
import type { Plan } from '../plan/plan.ts';
import { needsLive } from '../plan/steps.ts';
import { keyOf } from '../plan/world.ts';
import { planResource } from './plan-resource.ts';
import { readChild, readResource } from './read.ts';
import type { Run } from './run.ts';
import { beginState, type LiveWorld, maxAgeMs, type ReconcileState } from './state.ts';

/** The plan for one resource for which everything needed is known, and what it was based on. */
export interface ResourcePreview {
  readonly state: ReconcileState;
  readonly planned: Plan;
  /** Objects that were read whole, by child. */
  readonly lives: ReadonlyMap<string, KubeObject>;
}

/** Rounds of reading: a name that others free and take at every one is left as it was seen last. */
const maxRounds = 5;

/**
 * Plans one resource, reads by name what would be created or is not known well enough, and plans again.
 *
 * Guarantees: no child is newer than the specification it is compared with. Undefined once the resource
 * is gone.
 */
export async function previewResource(
  run: Run,
  world: LiveWorld,
): Promise<ResourcePreview | undefined> {
  const state = beginState(world, run.now().getTime() + maxAgeMs);
  const lives = new Map<string, KubeObject>();
  for (let rounds = 0; ; rounds++) {
    state.outcomes.clear();
    const planned = await planResource(run, state);
    const vague = decisionsOf(planned).filter((one) => isVague(one, world, lives));
    if (vague.length === 0 || rounds === maxRounds) return { state, planned, lives };
    const found = await Promise.all(vague.map((one) => readWhole(run, world, { ...one, lives })));
    if (!found.includes(true)) continue;
    const resource = await readResource(run, world);
    if (resource === undefined) return undefined;
    world.resource = resource;
  }
}

const decisionsOf = (planned: Plan): readonly Decision[] =>
  planned.state === 'planned' ? [...planned.decisions, ...planned.exposures] : [];

function isVague(
  decision: Decision,
  { absent }: LiveWorld,
  lives: ReadonlyMap<string, KubeObject>,
): boolean {
  const key = keyOf(decision.child);
  if (decision.verb === 'create') return !absent.has(key);
  return needsLive(decision) && !lives.has(key);
}

/** Whether there is something of that name. */
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
