import type { Outcome } from '../plan/decision/outcome.ts';
import type { ConditionSummary } from '../plan/observed/conditions.ts';
import { isEdited } from '../plan/observed/edited.ts';
import type { ObservedResource } from '../plan/observed/observed.ts';
import type { ResourceStatus } from '../plan/observed/recorded-status.ts';
import { plan } from '../plan/plan.ts';
import { attributed } from '../plan/status/attribution.ts';
import { type Finding, findingOf } from '../plan/status/finding.ts';
import { eventsFor } from '../plan/status/kubernetes-events.ts';
import { nextStatus } from '../plan/status/status.ts';
import { readResource } from '../reading/read.ts';
import { type Run, timestamp } from '../run/run.ts';
import type { ReconcileState } from '../run/state.ts';
import { commit } from './commit.ts';
import { StaleError } from './stale.ts';

/** What a run achieved for one resource. */
export interface Done {
  /** The conditions; undefined if the resource is deleted, suspended or given up. */
  readonly summary: ConditionSummary | undefined;
  readonly statusWritten: boolean;
  /** Why the resource's run could not be finished. */
  readonly error?: string;
}

export const noResult: Done = { summary: undefined, statusWritten: false };

/** Returns the outcomes. Adds to each repair the user who caused it, if an audit entry names one. */
export const outcomesOf = (
  { policy: { causes = [] } }: Run,
  { world, outcomes }: ReconcileState,
): readonly Outcome[] =>
  [...outcomes.values()].map((one) => attributed(one, world.resource.namespace, causes));

/**
 * Writes the status of a resource that changed faster than it could be reconciled, or whose time ran out.
 * Rethrows `error` if another run has finished the resource meanwhile.
 */
export async function giveUp(run: Run, state: ReconcileState, error: Error): Promise<Done> {
  const { world, outcomes } = state;
  const resource = await readResource(run, world);
  if (resource === undefined) return noResult;
  if (!isEdited(resource) && resource.generation !== world.resource.generation) throw error;
  world.resource = resource;
  const all = findingOf(world, plan(world), [...outcomes.values()]);
  if (all === undefined) throw error;
  const reason = error instanceof StaleError ? 'Conflict' : 'NotFinished';
  const message = `not finished, will be tried again in the next run: ${error.message}`;
  const summary: ConditionSummary = { state: 'Reconciling', reason, message };
  const found = { ...all, summary, acted: false };
  const statusWritten = await conclude(run, state, { found, unlocked: true });
  return { summary, statusWritten, error: message };
}

/** Posts Events and writes the status; `found` is undefined if suspended. Returns whether the status was written. */
export async function conclude(
  run: Run,
  state: ReconcileState,
  { found, unlocked = false }: { readonly found: Finding | undefined; readonly unlocked?: boolean },
): Promise<boolean> {
  const { world, wrote } = state;
  const { kind, resource } = world;
  const now = timestamp(run.clients.now());
  const status = (of: ObservedResource): ResourceStatus | undefined =>
    nextStatus(kind, of, { now, ...(found ?? { suspended: true }) });
  const outcomes = outcomesOf(run, state);
  const events = found === undefined ? [] : eventsFor(kind, resource, { ...found, outcomes });
  return commit(run, world, { wrote, unlocked, status, events });
}
