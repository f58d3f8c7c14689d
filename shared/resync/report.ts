import type { Traffic } from '../cluster/cluster.ts';
import type { Origin } from '../plan/decision/origin.ts';
import { isWrite, type Outcome } from '../plan/decision/outcome.ts';
import type { Pruning } from '../plan/pruning.ts';
import { roundRobin } from '../plan/round-robin.ts';
import { truncate } from '../printable.ts';
import type { Result } from '../resource/reconcile.ts';
import type { Run } from '../run/run.ts';
import type { Incomplete, Survey, Unkept } from './survey-result.ts';

export interface Failure {
  readonly key: string;
  readonly reason: string;
  readonly message: string;
}

/** The result of one run, as the resync and audit functions return it. */
export interface Report {
  readonly durationMs: number;
  readonly resources: {
    readonly total: number;
    readonly unchanged: number;
    readonly reconciled: number;
  };
  /** Number of children by outcome. A child that several passes write counts once for each pass. */
  readonly outcomes: Readonly<Record<Exclude<Outcome['result'], 'unchanged'>, number>>;
  /** Number of written children by origin. */
  readonly origins: Readonly<Record<Origin, number>>;
  readonly statusWrites: number;
  readonly requests: Traffic;
  /** `allowed`, or why deletions are withheld. */
  readonly pruning: string;
  /** The first failures, taken from each namespace in turn: at most 10 for a resource and 200 in all. */
  readonly failures: readonly Failure[];
  readonly moreFailures: number;
  /** Number of resources that did not fit into memory. `failures` has them, too. */
  readonly unkept: number;
  /** Kinds and child types whose lists were incomplete, so nothing was written for them. */
  readonly incomplete: readonly Incomplete[];
  /** Child types that the cluster does not serve. */
  readonly notServed: readonly Incomplete[];
  /** Resources not begun before the deadline; in a dry run, resources that need work. */
  readonly undone: readonly string[];
  /** In a response: the number of undone resources beyond those that it lists. */
  readonly moreUndone?: number;
}

interface Ingredients {
  readonly found: Omit<Survey, 'fleets'>;
  readonly results: readonly Result[];
  readonly undone: readonly string[];
  readonly pruning: Pick<Pruning, 'text'>;
  readonly begun: number;
}

export function reportOf(
  run: Run,
  { found, results, undone, pruning, begun }: Ingredients,
): Report {
  const outcomes = { created: 0, updated: 0, deleted: 0, skipped: 0, failed: 0, blocked: 0 };
  const origins = { edit: 0, drift: 0, reference: 0, code: 0 };
  const last = new Map(results.map((result) => [result.key, result]));
  for (const one of results) {
    // Counts the writes in all results of a resource, but other outcomes, such as `failed`, only in its last result.
    for (const outcome of one.outcomes) {
      const { result, origin } = outcome;
      const isDone = isWrite(outcome);
      if (isDone && origin !== undefined) origins[origin]++;
      if (result !== 'unchanged' && (isDone || one === last.get(one.key))) outcomes[result]++;
    }
  }
  return {
    durationMs: run.clients.now().getTime() - begun,
    resources: {
      total: found.resources,
      unchanged: found.resources - found.work.length - found.unkept.length,
      reconciled: last.size,
    },
    outcomes,
    origins,
    statusWrites: results.filter(({ statusWritten }) => statusWritten).length,
    requests: run.cluster.traffic,
    pruning: pruning.text,
    ...firstFailures([...last.values()], found.unkept),
    unkept: found.unkept.length,
    incomplete: found.incomplete,
    notServed: found.notServed,
    undone,
  };
}

const maxListed = 200;
export const maxFailuresOfOne = 10;
const maxMessage = 1024;

/** Shortens the list of undone resources for a response. */
export const shortened = (report: Report): Report => ({
  ...report,
  undone: report.undone.slice(0, maxListed),
  moreUndone: Math.max(0, report.undone.length - maxListed),
});

function firstFailures(results: readonly Result[], unkept: readonly Unkept[]) {
  const all = [...results, ...unkept.map((one) => ({ ...one, outcomes: [] }))];
  const tenants = Map.groupBy(all, ({ namespace }) => namespace);
  const queues = [...tenants.values()].map((own) =>
    own.flatMap((one) => failuresOf(one).slice(0, maxFailuresOfOne)),
  );
  const shown = roundRobin(queues).slice(0, maxListed);
  return {
    failures: shown.map((one) => ({ ...one, message: truncate(one.message, maxMessage) })),
    moreFailures: all.flatMap(failuresOf).length - shown.length,
  };
}

function failuresOf({ key, outcomes, error }: Pick<Result, 'key' | 'outcomes' | 'error'>) {
  const failed = outcomes.filter(({ result }) => result === 'failed' || result === 'blocked');
  return [
    ...failed.map(({ reason = 'Failed', message = '' }) => ({ key, reason, message })),
    ...(error === undefined ? [] : [{ key, reason: 'NotFinished', message: error }]),
  ];
}
