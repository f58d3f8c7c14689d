import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { type Replayed, replay } from './changes.ts';
import { RecordingError } from './errors.ts';
import type { Timed } from './history/timeline.ts';
import type { ReplayContext } from './replay.ts';

interface Bisected {
  /** The first recording whose decisions differ from those of this code, with the differences. */
  readonly first: Replayed | undefined;
  /** The number of recordings tried, including `first` and those in `failures`. */
  readonly replayed: number;
  /** The errors of recordings that could not be replayed. */
  readonly failures: readonly string[];
}

/**
 * Finds the first recording that this code decides differently. Replays one after the other, the oldest first: a
 * binary search would assume that all later recordings differ, too.
 */
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
