import type { Narrator } from './log/narrator.ts';

/** The process that runs all parts of `npm start`, prints their messages and stops them. */
export interface Host extends Narrator {
  /** Adds a function that stops a part of `npm start`. The function added last is called first. */
  readonly onStop: (end: () => Promise<void>) => void;
  readonly fail: (message: string) => void;
}
