import { keyOf } from '../kubernetes.ts';
import { type ChildHistory, type FightDetector, fightDetector } from '../plan/drift/contest.ts';
import { readyOf } from '../plan/observed/conditions.ts';
import { isUntried } from '../plan/observed/edited.ts';
import type { ObservedResource } from '../plan/observed/observed.ts';
import { type Run, timestamp } from '../run/run.ts';

/**
 * Returns a detector for writes that are left to the next resync because others undo them; undefined if none is.
 *
 * Guarantees: an audit event never feeds a fight, and neither does a request message within 30 s of another. A resync
 * repairs at most once, because its later passes (settle) do not repair contested fields.
 * Caveats: a generation that no run has tried yet is always applied. After that each child is judged by itself,
 * whatever keeps the rest of the generation from being applied.
 */
export const fightDetectorFor = (
  { clients, policy }: Run,
  resource: ObservedResource,
): FightDetector | undefined =>
  policy.trigger === 'resync' || isUntried(resource)
    ? undefined
    : fightDetector({
        now: timestamp(clients.now()),
        history: historyOf(resource),
        namespace: resource.namespace,
        causes: policy.causes ?? [],
        fromRequestMessage: policy.trigger === 'scope',
      });

function historyOf(resource: ObservedResource): ReadonlyMap<string, ChildHistory> {
  const { children = [], lastApplied } = resource.status;
  const { repairs = [], contested = [] } = lastApplied ?? {};
  const isOfGeneration = readyOf(resource)?.observedGeneration === resource.generation;
  return new Map(
    children.map((ref, at) => [
      keyOf(ref),
      {
        repairs: repairs.filter(({ child }) => child === at),
        contested: isOfGeneration ? contested.find(({ child }) => child === at) : undefined,
      },
    ]),
  );
}
