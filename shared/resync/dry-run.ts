import pMap from 'p-map';
import { messageOf } from '../cluster/cluster-errors.ts';
import { type Impact, impacts } from '../kinds/impact.ts';
import { titleOf } from '../kubernetes.ts';
import { isWriteDecision, type WriteDecision } from '../plan/decision/decision.ts';
import { impactOf } from '../plan/decision/decision-impact.ts';
import { originOf } from '../plan/decision/origin.ts';
import { isEdited } from '../plan/observed/edited.ts';
import type { Mark } from '../plan/observed/rollout-mark.ts';
import { decisionsOf } from '../plan/plan.ts';
import { keyOfResource } from '../reading/read.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import { planResource } from '../resource/plan-resource.ts';
import type { Run } from '../run/run.ts';
import { beginState, type LiveWorld } from '../run/state.ts';
import { type Report, reportOf } from './report.ts';
import { type ResyncOptions, resync, surveyRequests } from './resync.ts';

/** What a run would do. */
interface DryRunReport extends Report {
  readonly codeChanges: CodeChanges;
}

/**
 * Reads and plans what the requests select, and writes nothing.
 *
 * Guarantees: `undone` names each resource for which a run would do something. `codeChanges` leaves out what
 * the deployed version would also do, except for resources that wait for a rollout.
 */
export async function dryRun(
  run: Run,
  requests: readonly ReconcileRequest[],
  options: Pick<ResyncOptions, 'area' | 'pruneLimit' | 'concurrency'>,
): Promise<DryRunReport> {
  try {
    const surveyed = await surveyRequests(run, requests, options);
    const { work } = surveyed.found;
    const codeChanges = await codeChangesIn(run, work, options.concurrency);
    const undone = work.map(keyOfResource);
    const pruning = surveyed.pruning.text;
    return { ...reportOf(run, { ...surveyed, results: [], undone, pruning }), codeChanges };
  } finally {
    run.limits.memory.close();
  }
}

/** Reconciles what the requests select; with `dryRun` (DRY_RUN), only plans it. */
export const resyncOrDryRun = (
  run: Run,
  requests: readonly ReconcileRequest[],
  { dryRun: isDryRun, ...options }: ResyncOptions & { readonly dryRun: boolean },
): Promise<Report & Partial<DryRunReport>> => (isDryRun ? dryRun : resync)(run, requests, options);

/** Changes that a run would make only because the code of a kind, or a setting, has changed. */
export interface CodeChanges {
  /** Number of resources with such changes. */
  readonly resources: number;
  /** How many of these wait for a rollout, so that the deployed version changes them, too. */
  readonly waiting: number;
  readonly children: number;
  /** Number of children by the impact of their change. */
  readonly impact: Readonly<Partial<Record<Impact, number>>>;
  /** The first 200 changes. */
  readonly first: readonly CodeChange[];
  /** Number of resources that were not planned before the deadline. */
  readonly unplanned: number;
}

export type CodeChange = ChildChange | Failed;

interface ChildChange {
  /** The resource, such as `websites.kubecon.my.domain team-a/shop`. */
  readonly key: string;
  readonly verb: WriteDecision['verb'];
  /** The child, such as `Deployment team-a/shop`. */
  readonly child: string;
  /** The first 10 paths that differ, without values. */
  readonly fields: readonly string[];
  readonly impact: readonly Impact[];
}

/** A resource whose spec the kind refuses, or for which the kind's code throws. */
interface Failed {
  readonly key: string;
  readonly message: string;
}

const maxChanges = 200;
const maxFields = 10;

/**
 * Finds the changes that only a kind's code causes.
 *
 * Guarantees: writes nothing. Leaves out changes caused by edits, drift or referenced objects, because the
 * deployed version makes these too. Caveats: does not see a change of the status alone.
 */
async function codeChangesIn(
  run: Run,
  work: readonly LiveWorld[],
  concurrency: number,
): Promise<CodeChanges> {
  const isOver = (): boolean => run.clients.now().getTime() >= run.limits.deadline;
  const changesOf = async (world: LiveWorld) => (isOver() ? undefined : changesIn(run, world));
  const all = await pMap(work, changesOf, { concurrency });
  const changed = work.filter((_, at) => (all[at]?.length ?? 0) > 0);
  const changes = all.flatMap((one) => one ?? []);
  const children = changes.filter((one) => 'child' in one);
  const counts = impacts.map(
    (impact) => [impact, children.filter((one) => one.impact.includes(impact)).length] as const,
  );
  return {
    resources: changed.length,
    waiting: changed.filter(({ resource }) => isWaiting(resource.rollout)).length,
    children: children.length,
    impact: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    first: changes.slice(0, maxChanges),
    unplanned: all.filter((one) => one === undefined).length,
  };
}

const isWaiting = (mark: Mark | undefined): boolean =>
  mark?.reason === 'Waiting' || mark?.reason === 'Starting';

async function changesIn(run: Run, world: LiveWorld): Promise<readonly CodeChange[]> {
  const key = keyOfResource(world);
  try {
    const planned = await planResource(run, beginState(world, Number.POSITIVE_INFINITY));
    if (planned.state === 'invalid' && !isEdited(world.resource))
      return [{ key, message: planned.message }];
    if (planned.state !== 'planned') return [];
    return decisionsOf(planned)
      .filter(isWriteDecision)
      .filter((one) => originOf(one, world) === 'code')
      .map((one) => ({ key, ...describe(one) }));
  } catch (error) {
    return [{ key, message: messageOf(error) }];
  }
}

const describe = (decision: WriteDecision): Omit<ChildChange, 'key'> => ({
  verb: decision.verb,
  child: titleOf({ ...decision.child, namespace: decision.namespace }),
  fields:
    decision.verb === 'update'
      ? (decision.differences ?? []).slice(0, maxFields).map(({ path }) => path)
      : [],
  impact: impactOf(decision),
});
