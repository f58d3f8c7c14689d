import type { KubeObject } from '../kubernetes.ts';
import type { Decision } from '../plan/decision.ts';
import type { Plan } from '../plan/plan.ts';
import { needsLive } from '../plan/requests.ts';
import { keyOf } from '../plan/world.ts';
import { maxAgeMs } from './confirm.ts';
import { begin, type Performance } from './performance.ts';
import { planView } from './plan-view.ts';
import type { Run } from './run.ts';
import { lookAtChild, lookAtResource, type View } from './view.ts';

/** A plan for which everything needed is known, and what it was based on. */
export interface CloserLook {
  readonly performance: Performance;
  readonly planned: Plan;
  /** Objects that were read whole, by child. */
  readonly lives: ReadonlyMap<string, KubeObject>;
}

/** Rounds of reading: a name that others free and take at every one is left as it was seen last. */
const maxLooks = 5;

/**
 * Plans one resource, reads by name what would be created or is not known well enough, and plans again.
 *
 * Guarantees: no child is newer than the specification it is compared with. Undefined once the resource
 * is gone.
 */
export async function lookCloser(run: Run, start: View): Promise<CloserLook | undefined> {
  const performance = begin(start, run.now().getTime() + maxAgeMs);
  const lives = new Map<string, KubeObject>();
  for (let looks = 0; ; looks++) {
    performance.outcomes.clear();
    const planned = await planView(run, performance);
    const { view } = performance;
    const vague = decisionsOf(planned).filter((one) => isVague(one, view, lives));
    if (vague.length === 0 || looks === maxLooks) return { performance, planned, lives };
    const found = await Promise.all(vague.map((one) => look(run, view, { ...one, lives })));
    if (!found.includes(true)) continue;
    const resource = await lookAtResource(run, view);
    if (resource === undefined) return undefined;
    performance.view = { ...view, resource };
  }
}

const decisionsOf = (planned: Plan): readonly Decision[] =>
  planned.state === 'planned' ? [...planned.decisions, ...planned.exposures] : [];

function isVague(
  decision: Decision,
  { absent }: View,
  lives: ReadonlyMap<string, KubeObject>,
): boolean {
  const key = keyOf(decision.child);
  if (decision.verb === 'create') return !absent.has(key);
  return needsLive(decision) && !lives.has(key);
}

/** Whether there is something of that name. */
async function look(
  run: Run,
  view: View,
  { type, child, lives }: Decision & { readonly lives: Map<string, KubeObject> },
): Promise<boolean> {
  const live = await lookAtChild(run, view, { ...child, type });
  if (live === undefined) return false;
  lives.set(keyOf(child), live);
  return true;
}
