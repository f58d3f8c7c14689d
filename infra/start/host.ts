import type { Narrator } from './log/narrator.ts';

/** The process that runs all parts; prints their messages and ends them. */
export interface Host extends Narrator {
  /** Adds a function that ends a part; the part added last ends first. */
  readonly onStop: (end: () => Promise<void>) => void;
  /** Prints a fatal error and ends the process. */
  readonly fail: (message: string) => void;
}
