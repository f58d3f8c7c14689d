import type { Narrator } from './log/narrator.ts';

/** The process in which everything runs: what its parts say, and how they end. */
export interface Host extends Narrator {
  /** Adds what ends a part; the last one started ends first. */
  readonly onStop: (end: () => Promise<void>) => void;
  /** Prints what makes it impossible to go on, and ends the process. */
  readonly fail: (message: string) => void;
}
