import type { Traffic } from '../cluster/cluster.ts';
import { isWrite, type Outcome } from '../plan/outcome.ts';
import type { Result } from './reconcile.ts';
import type { Run } from './run.ts';
import type { Incomplete, Survey } from './survey.ts';

export interface Failure {
  readonly key: string;
  readonly reason: string;
  readonly message: string;
}

/** What one run did: the answer of the resync function. */
export interface Report {
  readonly durationMs: number;
  readonly resources: {
    readonly total: number;
    readonly unchanged: number;
    readonly reconciled: number;
  };
  /** Children by what became of them. */
  readonly outcomes: Readonly<Record<Exclude<Outcome['result'], 'unchanged'>, number>>;
  readonly statusWrites: number;
  readonly requests: Traffic;
  /** `allowed`, or which deletions were withheld and why. */
  readonly pruning: string;
  /** As many as are worth reading: 10 of a resource, 200 in all. */
  readonly failures: readonly Failure[];
  /** How many there are beside them. */
  readonly moreFailures: number;
  /** Kinds whose lists were incomplete: nothing was written for them. */
  readonly incomplete: readonly Incomplete[];
  /** Resources the deadline left for the next run; in a dry run, those that would be written to. */
  readonly undone: readonly string[];
}

export interface Ingredients {
  readonly found: Survey;
  readonly results: readonly Result[];
  readonly undone: readonly string[];
  readonly pruning: string;
  readonly started: Date;
}

export function reportOf(
  run: Run,
  { found, results, undone, pruning, started }: Ingredients,
): Report {
  const outcomes = { created: 0, updated: 0, deleted: 0, skipped: 0, failed: 0, blocked: 0 };
  const last = new Map(results.map((result) => [result.key, result]));
  for (const one of results) {
    // A second look tells of what is left to do once more; only its writes are new.
    for (const { result } of one.outcomes.filter(
      (outcome) => isWrite(outcome) || one === last.get(one.key),
    )) {
      if (result !== 'unchanged') outcomes[result]++;
    }
  }
  return {
    durationMs: run.now().getTime() - started.getTime(),
    resources: {
      total: found.resources,
      unchanged: found.resources - found.work.length,
      reconciled: last.size,
    },
    outcomes,
    statusWrites: results.filter(({ statusWritten }) => statusWritten).length,
    requests: run.cluster.traffic,
    pruning,
    ...listed([...last.values()].map(failuresOf)),
    incomplete: found.incomplete,
    undone,
  };
}

const maxFailures = 200;
/** Of one resource; the rest is counted. */
export const maxFailuresOfOne = 10;
const maxMessage = 1024;

/** The first failures of each resource; every one of them is counted. */
function listed(
  failures: readonly (readonly Failure[])[],
): Pick<Report, 'failures' | 'moreFailures'> {
  const shown = failures.flatMap((own) => own.slice(0, maxFailuresOfOne)).slice(0, maxFailures);
  const total = failures.reduce((sum, { length }) => sum + length, 0);
  const short = (message: string): string =>
    message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…` : message;
  return {
    failures: shown.map((one) => ({ ...one, message: short(one.message) })),
    moreFailures: total - shown.length,
  };
}

function failuresOf({ key, outcomes, error }: Result): readonly Failure[] {
  const failed = outcomes.filter(({ result }) => result === 'failed' || result === 'blocked');
  return [
    ...failed.map(({ reason = 'Failed', message = '' }) => ({ key, reason, message })),
    ...(error === undefined ? [] : [{ key, reason: 'NotFinished', message: error }]),
  ];
}
