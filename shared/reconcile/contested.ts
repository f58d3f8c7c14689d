import { fieldManager } from '../kinds/names.ts';
import {
  type Attempt,
  type Contested,
  fightOver,
  mayBeFought,
  type Repair,
} from '../plan/contest.ts';
import { type Decision, isWriting } from '../plan/decision.ts';
import { repairReason } from '../plan/kubernetes-events.ts';
import type { Plan } from '../plan/plan.ts';
import { keyOf } from '../plan/world.ts';
import { eventType } from './commit.ts';
import { type Run, timestamp } from './run.ts';
import type { View } from './view.ts';

/**
 * Which writes have to be left to the next tick, as others undo them.
 *
 * Flow: only where a fight is possible and shows in nothing else are our own Events read, one list.
 * Guarantees: an audit event never feeds a fight; a tick repairs at most once, as its second looks
 * (settle) repair nothing that is fought over.
 * Caveats: a generation that was not acted on yet is applied whatever becomes of it.
 */
export async function contestedBy(
  run: Run,
  view: View,
  planned: Plan,
): Promise<Contested | undefined> {
  const { generation, status, namespace } = view.resource;
  // An edited resource wants something new: to bring it is no repair.
  const isEdited = status.observedGeneration !== generation;
  if (run.trigger === 'tick' || isEdited || planned.state !== 'planned') return undefined;
  const all = [...planned.decisions, ...planned.exposures, ...planned.deletions];
  const attempts = all.filter(isWriting).flatMap((decision) => attemptOf(decision, view));
  if (attempts.length === 0) return undefined;
  const now = timestamp(run.now());
  const repairs = attempts.some((one) => mayBeFought(one, now)) ? await repairsOf(run, view) : [];
  const reconciling = status.conditions?.find(({ type }) => type === 'Reconciling');
  const said = reconciling?.message ?? '';
  return fightOver({ now, repairs, said, namespace, causes: run.causes ?? [] });
}

function attemptOf(decision: Decision, { children }: View): readonly Attempt[] {
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

interface KubernetesEvent {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string;
  readonly source?: { readonly component?: string };
}

async function repairsOf({ cluster }: Run, { resource }: View): Promise<readonly Repair[]> {
  const found: Repair[] = [];
  const fields = { 'involvedObject.uid': resource.uid, reason: repairReason };
  await cluster.list(eventType, { namespace: resource.namespace, fields }, (live) => {
    const { message = '', lastTimestamp: time = '', source } = live as unknown as KubernetesEvent;
    if (source?.component === fieldManager) found.push({ message, time });
  });
  return found;
}
