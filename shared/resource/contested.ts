import { keyOf } from '../kubernetes.ts';
import { type ChildHistory, type FightDetector, fightDetector } from '../plan/drift/contest.ts';
import { readyOf } from '../plan/observed/conditions.ts';
import { isUntried } from '../plan/observed/edited.ts';
import type { ObservedResource } from '../plan/observed/observed-resource.ts';
import { type Run, timestamp } from '../run/run.ts';

/**
 * Returns a function that detects writes which others keep undoing; undefined if this run makes such writes.
 *
 * Guarantees: no audit event makes a run continue a fight, nor does a request message within 30 s of another.
 * A resync repairs at most once, because its later passes (settle) do not repair contested fields. Caveats: a
 * generation that no run has tried yet is always applied. After that each child is judged by itself, even if
 * other children are not up to date yet.
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
