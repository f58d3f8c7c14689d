import type { Cluster } from '../cluster/cluster.ts';
import { derive, type Run } from '../run/run.ts';
import { maxRecording, openRecorder, type Recorder } from './recorder.ts';
import { decisionLines, type EndLine, type Header, type TruncatedLine } from './recording.ts';
import {
  type DecisionOptions,
  type Decisions,
  type RecordedReads,
  replayDecisions,
} from './replay-decisions.ts';
import { snapshotOf } from './snapshot.ts';

/**
 * Starts the recording of a run. `finish` makes the decisions again from what was read, as a replay does, and
 * returns the lines of the recording. A truncated recording cannot be replayed.
 */
export function recordRun(
  run: Run,
  header: Header,
  { options, limit = maxRecording }: { readonly options: DecisionOptions; readonly limit?: number },
) {
  const recorder = openRecorder(header.salt, limit);
  const cluster = recorder.through(run.cluster);
  return {
    run: derive(run, { cluster }),
    async finish() {
      const decisions = await replayUntilComplete(recorder, cluster, { recorded: header, options });
      for (const line of decisions === undefined ? [] : decisionLines(decisions))
        recorder.write(line);
      const lines = [JSON.stringify(header), ...recorder.lines];
      const isTruncated = recorder.isTruncated();
      const last: TruncatedLine | EndLine = isTruncated
        ? { line: 'truncated', limit }
        : { line: 'end', lines: lines.length + 1 };
      return { lines: [...lines, JSON.stringify(last)], isTruncated };
    },
  };
}

const maxRounds = 5;

interface Recorded {
  readonly recorded: Omit<RecordedReads, 'snapshot'>;
  readonly options: DecisionOptions;
}

/**
 * Makes the decisions again from a recording; undefined if the recording is truncated.
 *
 * Flow: plans, reads the objects by name that the plans need and the run did not read, and repeats this until the
 * recording has every response.
 */
export async function replayUntilComplete(
  { lines, isTruncated }: Recorder,
  cluster: Cluster,
  { recorded, options }: Recorded,
): Promise<Decisions | undefined> {
  for (let round = 1; ; round++) {
    if (isTruncated()) return undefined;
    const snapshot = snapshotOf(lines.map((line) => JSON.parse(line)));
    const decisions = await replayDecisions({ ...recorded, snapshot }, options);
    const left = decisions.unread.flatMap(({ send }) => send ?? []);
    if (left.length === 0 || round === maxRounds) return decisions;
    for (const send of left) await send(cluster).catch(() => undefined);
  }
}
