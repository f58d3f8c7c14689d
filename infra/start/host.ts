import type { Narrator } from './log/narrator.ts';

/** The process that runs all parts of `npm start`, prints their messages and ends them. */
export interface Host extends Narrator {
  /** Adds a function that ends a part. These functions are called in reverse order. */
  readonly onStop: (end: () => Promise<void>) => void;
  /** Prints a fatal error and ends the process. */
  readonly fail: (message: string) => void;
}
