import { isConflict } from '../cluster/errors.ts';
import { attributed } from '../plan/attribution.ts';
import type { Verdict } from '../plan/conditions.ts';
import { isEdited } from '../plan/edited.ts';
import { type Finding, findingOf } from '../plan/finding.ts';
import { occasions } from '../plan/kubernetes-events.ts';
import type { Outcome } from '../plan/outcome.ts';
import { plan } from '../plan/plan.ts';
import { nextStatus } from '../plan/status.ts';
import { commit } from './commit.ts';
import type { Performance } from './performance.ts';
import { type Run, timestamp } from './run.ts';
import { lookAtResource } from './view.ts';

/** How the run of one resource ended. */
export interface Done {
  /** Undefined where readiness was not determined: deleted, suspended, or given up on. */
  readonly verdict: Verdict | undefined;
  readonly statusWritten: boolean;
  /** Why the run could not be finished for this resource. */
  readonly error?: string;
}

export const nothingSaid: Done = { verdict: undefined, statusWritten: false };

/** What was done, with the user who caused it where an audit entry named one. */
export const outcomesOf = (
  { causes = [] }: Run,
  { view, outcomes }: Performance,
): readonly Outcome[] =>
  [...outcomes.values()].map((one) => attributed(one, view.resource.namespace, causes));

/**
 * The status of a resource that changes faster than it can be reconciled, or for which no
 * time was left; nothing where another run has finished it meanwhile.
 */
export async function giveUp(run: Run, performance: Performance, error: Error): Promise<Done> {
  const { outcomes } = performance;
  const before = performance.view.resource;
  const resource = await lookAtResource(run, performance.view);
  if (resource === undefined) return nothingSaid;
  if (!isEdited(resource) && resource.generation !== before.generation) throw error;
  const view = { ...performance.view, resource };
  performance.view = view;
  const planned = plan(view.kind, resource, view);
  const all = findingOf(view, planned, [...outcomes.values()]);
  if (all === undefined) throw error;
  const reason = isConflict(error) ? 'Conflict' : 'NotFinished';
  const message = `not finished, tried again at the next run: ${error.message}`;
  const verdict: Verdict = { state: 'Reconciling', reason, message };
  const found = { ...all, verdict, acted: false };
  const statusWritten = await conclude(run, performance, { found, unlocked: true });
  return { verdict, statusWritten, error: message };
}

/** Events and status, of what was found; undefined where the resource is suspended. */
export function conclude(
  run: Run,
  performance: Performance,
  { found, unlocked = false }: { readonly found: Finding | undefined; readonly unlocked?: boolean },
): Promise<boolean> {
  const { view, wrote } = performance;
  const now = timestamp(run.now());
  const outcomes = outcomesOf(run, performance);
  return commit(run, view, {
    wrote,
    unlocked,
    status: (resource) =>
      nextStatus(view.kind, resource, { now, ...(found ?? { suspended: true }) }),
    occasions:
      found === undefined
        ? []
        : occasions(view.kind, view.resource, { verdict: found.verdict, outcomes }),
  });
}
