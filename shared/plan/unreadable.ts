import { isDeeperThan } from '../canonical.ts';

/** A live object holds something that is not read: deeper or larger than any honest object is. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Deeper than any field of a child: the deepest of a pod template has 16 levels. */
const maxDepth = 64;

/**
 * Steps and characters, of all managers together. A Deployment as we make it takes about 5,000, one of
 * 100 kB that two managers hold 500,000.
 */
const maxCost = 5_000_000;

/** Bounds the reading of one live object: its time, the memory it takes, and the recursion. */
export interface Meter {
  /** Throws an UnreadableError once everything spent on this object is more than it may cost. */
  readonly spend: (steps: number) => void;
  /** Every `enter` that returns is followed by a `leave`. */
  readonly enter: () => void;
  readonly leave: () => void;
}

export function openMeter(): Meter {
  let cost = 0;
  let depth = 0;
  return {
    spend(steps) {
      cost += steps;
      if (cost > maxCost)
        throw new UnreadableError(
          'its managedFields take more time and memory to read than allowed',
        );
    },
    enter() {
      depth++;
      if (depth > maxDepth) throw tooDeep();
    },
    leave() {
      depth--;
    },
  };
}

const tooDeep = (): UnreadableError =>
  new UnreadableError(`its managedFields are nested deeper than ${maxDepth} levels`);

/** Throws an UnreadableError where a value has more levels than any field of a child. */
export function requireShallow(value: unknown): void {
  if (isDeeperThan(maxDepth, value)) throw tooDeep();
}
