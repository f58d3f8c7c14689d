import { messageOf } from '../cluster/errors.ts';
import { retryOnConflict } from '../cluster/retry.ts';
import { groupResource } from '../kubernetes.ts';
import { attributed } from '../plan/attribution.ts';
import type { Verdict } from '../plan/conditions.ts';
import { course } from '../plan/course.ts';
import type { Decision } from '../plan/decision.ts';
import { findingOf } from '../plan/finding.ts';
import { occasions } from '../plan/kubernetes-events.ts';
import { isWrite, type Outcome } from '../plan/outcome.ts';
import { nextStatus } from '../plan/status.ts';
import { commit } from './commit.ts';
import { type Performance, perform } from './perform.ts';
import { planView } from './plan-view.ts';
import { type Run, timestamp } from './run.ts';
import { StaleError } from './stale.ts';
import { lookAgain, lookAtChild, lookAtResource, type View } from './view.ts';

/** What one run did for one resource. */
export interface Result {
  /** `websites.kubecon.my.domain default/shop` */
  readonly key: string;
  readonly outcomes: readonly Outcome[];
  /** Undefined where nothing was judged: deleted, suspended, or given up on. */
  readonly verdict: Verdict | undefined;
  readonly wrote: boolean;
  readonly statusWritten: boolean;
  /** Why the run could not be finished for this resource; nothing of it is in the status. */
  readonly error?: string;
}

export interface Effort {
  /** Whether anything may be deleted. */
  readonly prune: boolean;
  /** How often it is planned; 1: a conflict ends it, and nothing is done that was not planned before. */
  readonly tries?: number;
}

/**
 * Brings the children of one resource to their desired state and says so in its status.
 *
 * Flow: plan → perform → prune → Events → commit; on a conflict what was stale is read again, the
 * child before the resource, and planned again, five times at most.
 * Guarantees: every write is locked to what it was decided on; whatever was written is followed by
 * a commit, which finds out whether the specification was still the newest. Never throws.
 */
export async function reconcile(run: Run, start: View, effort: Effort): Promise<Result> {
  const performance: Performance = { view: start, outcomes: new Map(), wrote: false };
  let done: Omit<Result, 'key' | 'outcomes' | 'wrote'> = {
    verdict: undefined,
    statusWritten: false,
  };
  let stale: StaleError | undefined;
  try {
    await retryOnConflict(async (attempt) => {
      if (attempt > 1 && !(await refresh(run, performance, stale?.decision))) return;
      try {
        done = await once(run, performance, effort);
      } catch (error) {
        stale = error instanceof StaleError ? error : undefined;
        throw error;
      }
    }, effort.tries);
  } catch (error) {
    done = { verdict: undefined, statusWritten: false, error: messageOf(error) };
  }
  const { view, wrote } = performance;
  return { key: keyOfResource(view), outcomes: toldBy(run, performance), wrote, ...done };
}

/** What was done, with the name of whoever made it necessary where an audit entry told. */
const toldBy = ({ causes = [] }: Run, { view, outcomes }: Performance): readonly Outcome[] =>
  [...outcomes.values()].map((one) => attributed(one, view.resource.namespace, causes));

export const keyOfResource = ({ kind, resource }: View): string =>
  `${groupResource(kind)} ${resource.namespace}/${resource.name}`;

/** Reads what has turned out stale, the child before the resource; false once the resource is gone. */
async function refresh(
  run: Run,
  performance: Performance,
  decision: Decision | undefined,
): Promise<boolean> {
  const { view } = performance;
  if (decision === undefined) {
    performance.view = (await lookAgain(run, view)) ?? view;
    return performance.view !== view;
  }
  // Whatever was asked for by name before may be there by now.
  view.absent.clear();
  view.unread.clear();
  await lookAtChild(run, view, { ...decision.child, type: decision.type });
  const resource = await lookAtResource(run, view);
  if (resource !== undefined) performance.view = { ...view, resource };
  return resource !== undefined;
}

async function once(
  run: Run,
  performance: Performance,
  { prune }: Effort,
): Promise<Omit<Result, 'key' | 'outcomes' | 'wrote'>> {
  const { view, outcomes } = performance;
  for (const [key, outcome] of outcomes) if (!isWrite(outcome)) outcomes.delete(key);
  const planned = await planView(run, performance);
  if (planned.state === 'deleting' || planned.state === 'unseen')
    return { verdict: undefined, statusWritten: false };
  if (planned.state === 'planned') {
    for (const decision of course(planned, outcomes, prune))
      await perform(run, performance, decision);
  }
  const found = findingOf(view, planned, [...outcomes.values()]);
  const now = timestamp(run.now());
  const statusWritten = await commit(run, view, {
    wrote: performance.wrote,
    status: (resource) =>
      nextStatus(view.kind, resource, { now, ...(found ?? { suspended: true }) }),
    occasions:
      found === undefined
        ? []
        : occasions(view.kind, view.resource, {
            verdict: found.verdict,
            outcomes: toldBy(run, performance),
          }),
  });
  return { verdict: found?.verdict, statusWritten };
}
