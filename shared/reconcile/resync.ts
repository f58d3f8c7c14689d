import pMap from 'p-map';
import { signature } from '../plan/attribution.ts';
import { describe } from '../plan/kubernetes-events.ts';
import type { Scope } from '../scope.ts';
import { type Area, areaOf } from './area.ts';
import { type Effort, keyOfResource, type Result, reconcile } from './reconcile.ts';
import { maxFailuresOfOne, type Report, reportOf } from './report.ts';
import type { Run } from './run.ts';
import { isUnsettled, settle } from './settle.ts';
import type { Survey } from './survey.ts';
import { surveyAll } from './survey-all.ts';
import type { View } from './view.ts';

export interface ResyncOptions {
  readonly area: Omit<Area, 'name'>;
  readonly concurrency: number;
  /** How many of so many resources may want deletions that nobody asked for by an edit. */
  readonly pruneLimit: (resources: number) => number;
  readonly settleSeconds: number;
  /** Look and plan, write nothing. */
  readonly dryRun: boolean;
  /** Hears of every resource that is done, of so many. */
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * Reconciles every resource that one of the Scopes selects, from fresh lists.
 *
 * Flow: everything is looked at, then reconciled, and what is not Ready yet looked at again, all of
 * it together: what takes its time holds up the answer, and no other resource.
 * Guarantees: a failing resource delays no other; when time is short nothing new is begun and the
 * report says what was left; nothing is deleted in a run whose picture is incomplete.
 */
export async function resync(
  run: Run,
  scopes: readonly Scope[],
  options: ResyncOptions,
): Promise<Report> {
  const started = run.now();
  const areas = scopes.map((scope) => areaOf(scope, options.area));
  const found = await surveyAll(run, areas);
  const pruning = permission(found, options.pruneLimit);
  if (pruning !== 'allowed' && found.deletions > 0)
    run.log.error('nothing is deleted in this run', { reason: pruning });
  const effort = { concurrency: options.concurrency, prune: pruning === 'allowed' };
  const work = options.dryRun ? [] : inOrder(found.work, started);
  const { results, undone } = await reconcileAll(run, work, {
    ...effort,
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  });
  const waiting = work.filter((_, at) => isUnsettled(results[at]));
  const settled = await settle(run, waiting, {
    seconds: options.settleSeconds,
    concurrency: options.concurrency,
    again: async (views) =>
      (await reconcileAll({ ...run, trigger: 'settle' }, views, effort)).results,
  });
  const all = [...results.flatMap((result) => result ?? []), ...settled];
  const left = options.dryRun ? found.work.map(keyOfResource) : undone;
  return reportOf(run, { found, results: all, undone: left, pruning, started });
}

export interface EffortForAll extends Effort {
  readonly concurrency: number;
  readonly onProgress?: (done: number, of: number) => void;
}

/** A result for each view, undefined for those the deadline left undone. */
export async function reconcileAll(run: Run, views: readonly View[], effort: EffortForAll) {
  const undone: string[] = [];
  let done = 0;
  const results = await pMap(
    views,
    async (view): Promise<Result | undefined> => {
      if (run.now().getTime() >= run.deadline) {
        undone.push(keyOfResource(view));
        return undefined;
      }
      const result = tell(run, await reconcile(run, view, effort));
      effort.onProgress?.(++done, views.length);
      return result;
    },
    { concurrency: effort.concurrency },
  );
  return { results, undone };
}

/** One line for each change and for each failure; many failures of one resource end in one line for the rest. */
function tell({ log }: Run, result: Result): Result {
  const { key, outcomes, error } = result;
  let failed = 0;
  for (const { child, result: outcome, reason, message, differences, by } of outcomes) {
    const changes = by === undefined ? differences?.map(describe) : [`deleted${signature(by)}`];
    const fields = {
      key,
      child: `${child.kind} ${child.name}`,
      outcome,
      reason,
      error: message,
      changes,
    };
    if (outcome === 'failed' || outcome === 'blocked') {
      if (++failed <= maxFailuresOfOne) log.warning(`child ${outcome}`, fields);
    } else if (outcome !== 'unchanged') log.info(`child ${outcome}`, fields);
  }
  const more = failed - maxFailuresOfOne;
  if (more > 0) log.warning('more children failed or blocked', { key, more });
  if (error !== undefined) log.warning('resource failed', { key, error });
  return result;
}

/** Whether this run may delete: `allowed`, or why not. */
export function permission(
  { resources, deletions, incomplete }: Survey,
  limit: ResyncOptions['pruneLimit'],
): string {
  if (incomplete.length > 0)
    return `incomplete lists: ${incomplete.map(({ kind }) => kind).join(', ')}`;
  const allowed = limit(resources);
  if (deletions <= allowed) return 'allowed';
  return `${deletions} of ${resources} resources want deletions although nobody edited them, more than ${allowed}: allow it by PRUNE_LIMIT if it is meant`;
}

/** Edited resources first; the rest turned by the time, so that no failing head starves the tail. */
function inOrder(work: readonly View[], now: Date): readonly View[] {
  const isEdited = ({ resource }: View): boolean =>
    resource.status.observedGeneration !== resource.generation;
  const rest = work.filter((view) => !isEdited(view));
  const turn = turnOf(now) % Math.max(rest.length, 1);
  return [...work.filter(isEdited), ...rest.slice(turn), ...rest.slice(0, turn)];
}

/** Moves on with every second, and by another step with every minute: ticks come in round numbers. */
function turnOf(now: Date): number {
  const seconds = Math.floor(now.getTime() / 1000);
  return seconds + Math.floor(seconds / 60) + Math.floor(seconds / 600);
}
