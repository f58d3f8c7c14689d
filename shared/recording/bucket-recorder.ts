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
 * Limit of a recording that a function makes, in characters. Planning again from a recording takes several times as
 * much memory, and a function has 256 MiB.
 */
const maxInFunction = 8 * 1024 * 1024;

const mostAtOnce = 4;

const timeoutMs = 5_000;

interface Options {
  readonly timeoutMs?: number;
  readonly limit?: number;
}

interface Recordable {
  readonly requests: readonly ReconcileRequest[];
  /** The cluster's name; undefined if the deployment has only one. */
  readonly cluster: string | undefined;
  readonly deployment: Deployment;
  readonly options: DecisionOptions;
}

export interface RunRecording {
  /** The run with a client that records its requests. */
  readonly run: Run;
  /** Ends the recording of a run that is over, or that failed if there is no report. Never throws. */
  readonly keep: (report: Report | undefined) => Promise<void>;
}

/**
 * Records runs, each to its own object in a bucket.
 *
 * Flow: records what a run reads and writes. If the run had anything to do or report, makes its decisions again
 * from what it read, compresses the recording and uploads it.
 *
 * Guarantees: never throws, delays a run by at most 5 s, and logs a failure once. A run with nothing to do causes
 * no request. At most four recordings of 8 MiB are in memory, whose decisions are made one after the other.
 * Caveats: making the decisions blocks the event loop, so kinds that plan slowly may add the time of a survey to
 * the 5 s.
 */
export function openBucketRecorder(bucket: Bucket, over: Options = {}) {
  const options = { timeoutMs, limit: maxInFunction, ...over };
  let open = 0;
  const oneAtATime = pLimit(1);
  return (run: Run, recordable: Recordable): RunRecording | undefined => {
    const { log } = run.clients;
    if (open >= mostAtOnce) {
      log.warning('run not recorded', { error: `${mostAtOnce} others are being recorded` });
      return undefined;
    }
    open++;
    const header = headerOf(run, recordable);
    const name = objectName(header, recordable.cluster);
    const time = { until: Number.POSITIVE_INFINITY };
    const late = (): Error =>
      new Error(`the recording did not reach ${bucket.name} within ${options.timeoutMs / 1000} s`);
    // Goes by the clock, because no timer fires while kinds plan.
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
          const { lines, isTruncated } = await oneAtATime(() => {
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
          open--;
        }
      },
    };
  };
}

const tooMuch = ({ limit }: { readonly limit: number }): string =>
  `more was read than a function records (${limit / 1024 / 1024} MiB)`;

const zipped = promisify<string, Buffer>(gzip);

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
