import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Environment } from '../../../shared/environment.ts';
import { sourceExtension } from '../../package-root.ts';
import { RecordingError } from '../../recordings/errors.ts';
import type { ClusterRecording } from '../../recordings/fleet.ts';
import { type ClusterImpact, impactOn } from '../../recordings/fleet-impact.ts';
import { decideAgain, type ReplayContext } from '../../recordings/replay.ts';

/** Judges the impact on one cluster. Throws a RecordingError if its recording cannot be judged. */
type Judge = (one: ClusterRecording) => Promise<ClusterImpact>;

export const judgeWith =
  (context: ReplayContext): Judge =>
  async ({ cluster, recording }) =>
    impactOn(
      { cluster, file: recording.name },
      await decideAgain(recording, { ...context, isAtOnce: true }),
    );

/** What a thread begins with. */
export interface ThreadData {
  readonly configFile: string;
  readonly env: Environment;
}

export interface ThreadQuestion {
  readonly cluster: string;
  readonly file: string;
  readonly content: Uint8Array;
}

export type ThreadAnswer = { readonly impact: ClusterImpact } | { readonly error: string };

/**
 * Opens a judge of up to `count` clusters at a time, each on a thread of its own if `count` is more than one.
 * Guarantees: the impact does not depend on `count`. Caveats: each thread loads the configuration from `configFile`.
 */
export function openJudge(count: number, { configFile, ...context }: ReplayContext & ThreadData) {
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
    const [answer] = (await once(thread, 'message')) as [ThreadAnswer];
    idle.push(thread);
    if ('error' in answer) throw new RecordingError(answer.error);
    return answer.impact;
  };
  return { judge, stop: () => Promise.all(threads.map((one) => one.terminate())) };
}
