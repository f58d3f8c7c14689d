import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { type Replayed, replay } from './changes.ts';
import { RecordingError } from './errors.ts';
import type { Timed } from './history/timeline.ts';
import type { ReplayContext } from './replay.ts';

interface Bisected {
  /** The first recording for which this code decides differently; undefined if there is none. */
  readonly first: Replayed | undefined;
  /** The number of recordings tried, including `first` and those in `failures`. */
  readonly replayed: number;
  readonly failures: readonly string[];
}

/** Replays in order: a binary search would be wrong if a later recording shows no difference. */
export async function firstDifferent(
  recordings: readonly Timed[],
  context: ReplayContext,
  onReplayed: (count: number) => void,
): Promise<Bisected> {
  const failures: string[] = [];
  for (const [at, { recording }] of recordings.entries()) {
    onReplayed(at);
    try {
      const one = await replay(recording, context);
      if (!one.isSame) return { first: one, replayed: at + 1, failures };
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      failures.push(messageOf(error));
    }
  }
  return { first: undefined, replayed: recordings.length, failures };
}
