import { keyOf } from '../kubernetes.ts';
import type { Decision } from '../plan/decision/decision.ts';
import {
  type Attempt,
  type FightDetector,
  fightDetector,
  needsRepairEvents,
} from '../plan/drift/contest.ts';
import { readyOf } from '../plan/observed/conditions.ts';
import { isUntried } from '../plan/observed/edited.ts';
import type { ObservedResource } from '../plan/observed/observed.ts';
import type { World } from '../plan/observed/world.ts';
import { decisionsOf, type Plan } from '../plan/plan.ts';
import { eventNamespaceOf } from '../plan/status/kubernetes-events.ts';
import { type Run, timestamp } from '../run/run.ts';

/**
 * Returns a detector for writes that are left to the next resync because others undo them; undefined if
 * none can be contested.
 *
 * Flow: our own Events are read only if a fight is possible and nothing else shows it.
 * Guarantees: an audit event never feeds a fight, and neither does a request message within 30 s of
 * another. A resync repairs at most once, because its later passes (settle) do not repair contested fields.
 * Caveats: a generation that no run has tried yet is always applied. After that each child is judged by
 * itself, whatever keeps the rest of the generation from being applied.
 */
export async function fightDetectorFor(
  run: Run,
  world: World,
  planned: Plan,
): Promise<FightDetector | undefined> {
  const { resource } = world;
  const { namespace } = resource;
  if (run.policy.trigger === 'resync' || isUntried(resource) || planned.state !== 'planned')
    return undefined;
  const attempts = decisionsOf(planned).flatMap((decision) => attemptOf(decision, world));
  if (attempts.length === 0) return undefined;
  const now = timestamp(run.clients.now());
  const repairs = attempts.some((one) => needsRepairEvents(one, now))
    ? (await run.lookups.repairs(eventNamespaceOf(resource))).get(resource.uid)
    : undefined;
  return fightDetector({
    now,
    repairs: repairs ?? [],
    namespace,
    readyMessage: readyMessageOf(resource),
    statusTime: resource.statusTime,
    causes: run.policy.causes ?? [],
    fromRequestMessage: run.policy.trigger === 'scope',
  });
}

function readyMessageOf(resource: ObservedResource): string {
  const ready = readyOf(resource);
  return ready?.observedGeneration === resource.generation ? ready.message : '';
}

function attemptOf(decision: Decision, { children }: World): readonly Attempt[] {
  const { verb, child } = decision;
  const observed = children.get(keyOf(child));
  switch (verb) {
    case 'create':
      return decision.lost ? [{ verb, child, observed, differences: [] }] : [];
    case 'update':
      return [{ verb, child, observed, differences: decision.differences }];
    case 'consolidate':
    case 'delete':
      return [{ verb, child, observed, differences: [] }];
    default:
      return [];
  }
}
