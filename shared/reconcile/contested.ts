import { fieldManager } from '../kinds/names.ts';
import { isRecent, isTaken, maybeContested } from '../plan/contest.ts';
import type { Contested } from '../plan/decision.ts';
import { repairReason } from '../plan/kubernetes-events.ts';
import type { Plan } from '../plan/plan.ts';
import { keyOf } from '../plan/world.ts';
import { eventType } from './commit.ts';
import { type Run, timestamp } from './run.ts';
import type { View } from './view.ts';

/**
 * Which fields are fought over: those we told of having repaired less than 30 s ago.
 *
 * Flow: only where managedFields make a fight possible are our own Events read, one list.
 * Guarantees: an audit event never feeds a fight; a tick repairs at most once, as its second looks
 * (settle) repair nothing that is fought over.
 */
export async function contestedBy(
  run: Run,
  view: View,
  planned: Plan,
): Promise<Contested | undefined> {
  const { generation, status } = view.resource;
  // An edited resource wants something new: to bring it is no repair.
  const isEdited = status.observedGeneration !== generation;
  if (run.trigger === 'tick' || isEdited || planned.state !== 'planned') return undefined;
  const now = timestamp(run.now());
  const possible = [...planned.decisions, ...planned.exposures].some((decision) => {
    const observed = view.children.get(keyOf(decision.child));
    return (
      decision.verb === 'update' && observed && maybeContested(observed, decision.differences, now)
    );
  });
  if (!possible) return undefined;
  const repairs = await recentRepairs(run, view, now);
  return ({ kind, name, ...child }, differences) =>
    maybeContested({ kind, name, ...child }, differences, now) &&
    differences
      .filter(isTaken)
      .some(({ path }) =>
        repairs.some(
          (message) => message.startsWith(`${kind} ${name}: `) && message.includes(`${path} `),
        ),
      );
}

interface KubernetesEvent {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string;
  readonly source?: { readonly component?: string };
}

async function recentRepairs(
  { cluster }: Run,
  { resource }: View,
  now: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  const fields = { 'involvedObject.uid': resource.uid, reason: repairReason };
  await cluster.list(eventType, { namespace: resource.namespace, fields }, (live) => {
    const { message = '', lastTimestamp = '', source } = live as unknown as KubernetesEvent;
    if (source?.component === fieldManager && isRecent(lastTimestamp, now)) found.push(message);
  });
  return found;
}
