import { DeadlineError } from '../cluster/cluster-errors.ts';
import { type Impact, impacts } from '../kinds/impact.ts';
import { titleOf } from '../kubernetes.ts';
import { isEdited } from '../plan/observed/observed-resource.ts';
import { namespaceOf } from '../plan/observed/world.ts';
import { keyOfResource } from '../reading/read.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import { type Report, reportOf } from '../resync/report.ts';
import { logLeft, type ResyncOptions, resync, surveyRequests } from '../resync/resync.ts';
import type { Run } from '../run/run.ts';
import { type Action, nowAndLater } from './planned-resource.ts';
import { describeRun, type PlannedWork, planWork } from './preview.ts';

interface DryRunReport extends Report {
  readonly codeChanges: CodeChanges;
}

/** `codeChanges` lists the changes that only this version makes, or that wait in a rollout of the deployed version. */
export async function dryRun(
  run: Run,
  requests: readonly ReconcileRequest[],
  options: Pick<ResyncOptions, 'area' | 'pruneLimit' | 'concurrency'>,
): Promise<DryRunReport> {
  using _memory = run.limits.memory;
  const surveyed = await surveyRequests(run, requests, options);
  logLeft(run, surveyed);
  const { work } = surveyed.found;
  const planned = await planWork(run, work, options);
  const undone = work.map(keyOfResource);
  const report = reportOf(run, { ...surveyed, results: [], undone, begun: surveyed.readAt });
  return { ...report, codeChanges: codeChangesIn(run, planned) };
}

export const resyncOrDryRun = (
  run: Run,
  requests: readonly ReconcileRequest[],
  { dryRun: isDryRun, ...options }: ResyncOptions & { readonly dryRun: boolean },
): Promise<Report & Partial<DryRunReport>> => (isDryRun ? dryRun : resync)(run, requests, options);

/** Changes that a run would make only because a kind's code or a setting has changed. */
export interface CodeChanges {
  readonly resources: number;
  /** How many of these `resources` already wait in a rollout of the deployed version. */
  readonly waiting: number;
  readonly children: number;
  readonly impact: Readonly<Partial<Record<Impact, number>>>;
  readonly first: readonly CodeChange[];
  readonly unplanned: number;
}

export type CodeChange = ChildChange | { readonly key: string; readonly message: string };

interface ChildChange {
  readonly key: string;
  readonly verb: Action['verb'];
  readonly child: string;
  readonly fields: readonly string[];
  readonly impact: readonly Impact[];
}

const maxChanges = 200;
const maxFields = 10;

function codeChangesIn(run: Run, planned: readonly PlannedWork[]): CodeChanges {
  const inTime = planned.filter((one) => !('error' in one && one.error instanceof DeadlineError));
  const changed = inTime
    .map((one) => ({ world: one.world, changes: changesOf(run, one) }))
    .filter(({ changes }) => changes.length > 0);
  const changes = changed.flatMap((one) => one.changes);
  const children = changes.filter((one) => 'child' in one);
  const counts = impacts.map(
    (impact) => [impact, children.filter((one) => one.impact.includes(impact)).length] as const,
  );
  return {
    resources: changed.length,
    waiting: changed.filter(({ world: { resource } }) =>
      ['Waiting', 'Starting'].includes(resource.rollout?.reason ?? ''),
    ).length,
    children: children.length,
    impact: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    first: changes.slice(0, maxChanges),
    unplanned: planned.length - inTime.length,
  };
}

function changesOf(run: Run, one: PlannedWork): readonly CodeChange[] {
  const { world } = one;
  const key = keyOfResource(world);
  // Also shows deletions that a run would withhold.
  const { unheld } = describeRun(run, one, { allows: () => true });
  const { state, message = '' } = unheld;
  if (state === 'failed' || (state === 'invalid' && !isEdited(world.resource)))
    return [{ key, message }];
  return unheld.actions.flatMap((action) =>
    nowAndLater(action)
      .filter(({ origin }) => origin === 'code')
      .map(({ verb, differences, impact = [] }) => ({
        key,
        verb,
        child: titleOf({ ...action.child, namespace: namespaceOf(world.resource, action.child) }),
        fields: verb === 'update' ? differences.slice(0, maxFields).map(({ path }) => path) : [],
        impact,
      })),
  );
}
