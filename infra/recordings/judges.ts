import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import pMap from 'p-map';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import type { Environment } from '../../shared/environment.ts';
import { sourceExtension } from '../package-root.ts';
import { RecordingError } from './errors.ts';
import type { ClusterRecording } from './fleet.ts';
import { type ClusterImpact, impactOn } from './fleet-impact.ts';
import { decideAgain, type ReplayContext } from './replay.ts';

/** Throws a RecordingError if the recording cannot be judged. */
type Judge = (one: ClusterRecording) => Promise<ClusterImpact>;

export const judgeWith =
  (context: ReplayContext): Judge =>
  async ({ cluster, recording }) =>
    impactOn(
      { cluster, file: recording.name },
      await decideAgain(recording, { ...context, isAtOnce: true }),
    );

export interface ThreadData {
  readonly configFile: string;
  readonly env: Environment;
}

export interface ThreadQuestion {
  readonly cluster: string;
  readonly file: string;
  readonly content: Uint8Array;
}

export type ThreadResponse = { readonly impact: ClusterImpact } | { readonly error: string };

/**
 * Opens a judge, which replays the recordings of up to `count` clusters at a time. If `count` is more than one, uses
 * `count` threads.
 *
 * Caveats: each thread loads the configuration from `configFile`.
 */
function openJudge(count: number, { configFile, ...context }: ReplayContext & ThreadData) {
  if (count === 1) return { judge: judgeWith(context), stop: async () => [] };
  const file = join(import.meta.dirname, `judge-thread${sourceExtension}`);
  const workerData: ThreadData = { configFile, env: { ...context.env } };
  const threads = Array.from({ length: count }, () => new Worker(file, { workerData }));
  const idle = [...threads];
  const judge: Judge = async ({ cluster, recording }) => {
    const content = await recording.read();
    const thread = idle.pop();
    if (thread === undefined) throw new Error(`more than ${count} clusters at a time`);
    thread.postMessage({ cluster, file: recording.name, content } satisfies ThreadQuestion);
    const [response] = (await once(thread, 'message')) as [ThreadResponse];
    idle.push(thread);
    if ('error' in response) throw new RecordingError(response.error);
    return response.impact;
  };
  return { judge, stop: () => Promise.all(threads.map((one) => one.terminate())) };
}

interface Judging extends ReplayContext {
  readonly configFile: string;
  readonly threads: number;
  /** Called before a cluster is judged, with the number of clusters judged so far. */
  readonly onStep: (done: number) => void;
}

/** Guarantees: the result does not depend on the number of threads. */
export async function judgeAll(
  found: readonly ClusterRecording[],
  { threads, onStep, ...context }: Judging,
) {
  const count = Math.min(threads, found.length);
  const { judge, stop } = openJudge(count, context);
  let done = 0;
  const judgeOne = async (one: ClusterRecording) => {
    onStep(done);
    const result = await judge(one).catch((error: unknown) => {
      if (!(error instanceof RecordingError)) throw error;
      return { cluster: one.cluster, error: messageOf(error) };
    });
    done += 1;
    return result;
  };
  try {
    const all = await pMap(found, judgeOne, { concurrency: count });
    return {
      clusters: all.flatMap((one) => ('error' in one ? [] : [one])),
      failures: all.flatMap((one) => ('error' in one ? [one] : [])),
    };
  } finally {
    await stop();
  }
}
