import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import pLimit from 'p-limit';
import { messageOf } from '../cluster/cluster-errors.ts';
import { within } from '../cluster/time-limit.ts';
import type { Bucket } from '../config/config.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import type { Report } from '../resync/report.ts';
import type { Run } from '../run/run.ts';
import { type Deployment, type Header, headerOf } from './recording.ts';
import { type DecisionOptions, recordRun } from './replay-decisions.ts';

/** Maximum size in characters. Planning takes several times that in memory, and a function may have only 256 MiB. */
const maxInFunction = 8 * 1024 * 1024;

const mostAtOnce = 4;

interface Recordable {
  readonly requests: readonly ReconcileRequest[];
  readonly cluster: string | undefined;
  readonly deployment: Deployment;
  readonly options: DecisionOptions;
}

export interface RunRecording {
  readonly run: Run;
  /** Call this after the run, without a report if it failed. Never throws. */
  readonly keep: (report: Report | undefined) => Promise<void>;
}

/**
 * Records runs, each to its own object in a bucket, with the decisions planned again from what the run read.
 *
 * Guarantees: never throws, delays a run by at most 5 s, and logs a failure once. A run with nothing to do causes no
 * request. A fifth run at the same time is not recorded, to bound the memory.
 * Caveats: planning blocks the event loop, so the delay grows with kinds that plan slowly.
 */
export function openBucketRecorder(
  bucket: Bucket,
  { timeoutMs = 5_000, limit = maxInFunction }: { timeoutMs?: number; limit?: number } = {},
) {
  let open = 0;
  const oneAtATime = pLimit(1);
  return (run: Run, recordable: Recordable): RunRecording | undefined => {
    const { log } = run.clients;
    if (open >= mostAtOnce) {
      log.warning('run not recorded', { error: `${mostAtOnce} other runs are being recorded` });
      return undefined;
    }
    open++;
    const header = headerOf(run, recordable.requests, recordable.deployment);
    const name = objectName(header, recordable.cluster);
    const time = { until: Number.POSITIVE_INFINITY };
    const late = (): Error =>
      new Error(`the recording did not reach ${bucket.name} within ${timeoutMs / 1000} s`);
    // Checks the time itself, because no timer fires while a kind's code is running.
    const requireTime = (): void => {
      if (Date.now() > time.until) throw late();
    };
    const recorded = recordRun(run, header, {
      limit,
      options: { ...recordable.options, observer: { onProgress: requireTime } },
    });
    const keepNow = async (): Promise<void> => {
      time.until = Date.now() + timeoutMs;
      await within(
        timeoutMs,
        async (signal) => {
          const { lines, isTruncated } = await oneAtATime(() => {
            requireTime();
            return recorded.finish();
          });
          if (signal.aborted) return;
          await bucket.upload(name, await zipped(`${lines.join('\n')}\n`), time.until);
          const error = `the recording has more than ${limit} characters`;
          if (isTruncated) log.warning('recording incomplete', { object: name, error });
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

const zipped = promisify<string, Buffer>(gzip);

const isQuiet = ({ resources, failures, incomplete, undone }: Report): boolean =>
  resources.reconciled + failures.length + incomplete.length + undone.length === 0;

/** Returns a name that sorts by time, such as `resync/2026-11-23T03:12:04.117Z-5d41402a.jsonl.gz`. */
function objectName({ trigger, at }: Header, cluster: string | undefined): string {
  const target = trigger === 'resync' ? 'resync' : 'audit';
  const directory = cluster === undefined ? target : `${target}/${cluster}`;
  return `${directory}/${at}-${randomBytes(4).toString('hex')}.jsonl.gz`;
}
