import { derive, type Run } from '../run/run.ts';
import type { Deciding } from './decide.ts';
import { decideWhole } from './decide-whole.ts';
import { decisionLines } from './decision-lines.ts';
import { maxRecording, openRecorder } from './recorder.ts';
import type { EndLine, Header, TruncatedLine } from './recording.ts';

interface Options {
  readonly options: Deciding;
  /** The most that is kept of it, in characters. */
  readonly limit?: number;
}

/** A run that is recorded. */
export interface RecordedRun {
  /** The same run, whose requests are recorded. */
  readonly run: Run;
  /** Decides on what was read, as replaying does. */
  readonly finish: () => Promise<Finished>;
}

interface Finished {
  /** All lines of the recording. */
  readonly lines: readonly string[];
  /** There was more than it may hold: it cannot be replayed. */
  readonly isTruncated: boolean;
}

/** Records a run under this header. */
export function recordRun(
  run: Run,
  header: Header,
  { options, limit = maxRecording }: Options,
): RecordedRun {
  const recorder = openRecorder(header.salt, limit);
  const cluster = recorder.through(run.cluster);
  return {
    run: derive(run, { cluster }),
    async finish() {
      const decisions = await decideWhole(recorder, cluster, { reading: header, options });
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
