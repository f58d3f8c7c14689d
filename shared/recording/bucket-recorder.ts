import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import pLimit from 'p-limit';
import { messageOf } from '../cluster/cluster-errors.ts';
import { within } from '../cluster/time-limit.ts';
import type { Bucket } from '../config/platform.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import type { Report } from '../resync/report.ts';
import type { Run } from '../run/run.ts';
import { type Deployment, headerOf } from './header.ts';
import { recordRun } from './recorded-run.ts';
import type { DecisionOptions } from './replay-decisions.ts';

/**
 * Limit of a recording that a function makes, in characters. Planning again from it takes several times as much
 * memory, and a function has 256 MiB in all.
 */
const maxInFunction = 8 * 1024 * 1024;

/** Limit of runs that a process records at the same time. */
const mostAtOnce = 4;

/** How long a recording may delay its run, in milliseconds. */
const timeoutMs = 5_000;

interface Options {
  readonly timeoutMs?: number;
  readonly limit?: number;
}

/** The parts of a run that its recording needs. */
interface Recordable {
  readonly requests: readonly ReconcileRequest[];
  /** The cluster's name; undefined if the deployment has only one. */
  readonly cluster: string | undefined;
  readonly deployment: Deployment;
  readonly options: DecisionOptions;
}

/** A run that is being recorded. */
export interface RunRecording {
  /** The run, whose requests are recorded. */
  readonly run: Run;
  /** Ends the recording; called once the run is over. Without a report, the run failed. Never throws. */
  readonly keep: (report: Report | undefined) => Promise<void>;
}

/**
 * Records runs, each to its own object in a bucket.
 *
 * Flow: keeps what a run reads and writes. If the run changed, failed or left something, makes its decisions
 * again from what it read, compresses the recording and uploads it. Guarantees: never throws, and delays a
 * run by at most 5 s in all. A failure is logged once. A run that found nothing to do makes no request. At
 * most four recordings of 8 MiB are in memory, and the decisions for them are made one after the other.
 * Caveats: making the decisions blocks the event loop. Kinds that plan slowly may add the time of a survey to the 5
 * s.
 */
export function openBucketRecorder(bucket: Bucket, over: Options = {}) {
  const options = { timeoutMs, limit: maxInFunction, ...over };
  let held = 0;
  const inTurn = pLimit(1);
  return (run: Run, recordable: Recordable): RunRecording | undefined => {
    const { log } = run.clients;
    if (held >= mostAtOnce) {
      log.warning('run not recorded', { error: `${mostAtOnce} others are being recorded` });
      return undefined;
    }
    held++;
    const header = headerOf(run, recordable);
    const name = objectName(header, recordable.cluster);
    const time = { until: Number.POSITIVE_INFINITY };
    const late = (): Error =>
      new Error(`it was not in the bucket ${bucket.name} within ${options.timeoutMs / 1000} s`);
    // Checks the time by the clock, because no timer fires while kinds plan.
    const requireTime = (): void => {
      if (Date.now() > time.until) throw late();
    };
    const recorded = recordRun(run, header, {
      limit: options.limit,
      options: { ...recordable.options, observer: { onProgress: requireTime } },
    });
    const keepNow = async (): Promise<void> => {
      time.until = Date.now() + options.timeoutMs;
      await within(
        options.timeoutMs,
        async (signal) => {
          const { lines, isTruncated } = await inTurn(() => {
            requireTime();
            return recorded.finish();
          });
          if (signal.aborted) return;
          await bucket.upload(name, await zipped(`${lines.join('\n')}\n`), time.until);
          if (isTruncated)
            log.warning('recording incomplete', { object: name, error: tooMuch(options) });
          else log.debug('run recorded', { object: name });
        },
        late,
      );
    };
    return {
      run: recorded.run,
      async keep(report) {
        try {
          if (report === undefined || !isQuiet(report)) await keepNow();
        } catch (error) {
          log.warning('run not recorded', { object: name, error: messageOf(error) });
        } finally {
          held--;
        }
      },
    };
  };
}

const tooMuch = ({ limit }: { readonly limit: number }): string =>
  `more was read than a function records (${limit / 1024 / 1024} MiB)`;

const zipped = promisify<string, Buffer>(gzip);

/** Reports whether a run found nothing to do or report. */
const isQuiet = ({ resources, failures, incomplete, undone }: Report): boolean =>
  resources.reconciled + failures.length + incomplete.length + undone.length === 0;

/** Returns a name that sorts by time, such as `resync/2026-11-23T03:12:04.117Z-5d41402a.jsonl.gz`. */
function objectName(
  { trigger, at }: { readonly trigger: string; readonly at: string },
  cluster?: string,
) {
  const target = trigger === 'resync' ? 'resync' : 'audit';
  const directory = cluster === undefined ? target : `${target}/${cluster}`;
  return `${directory}/${at}-${randomBytes(4).toString('hex')}.jsonl.gz`;
}
