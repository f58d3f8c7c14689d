import { isDeeperThan } from '../canonical.ts';

/** A live object is deeper or larger than any legitimate object, and is not read to its end. */
export class UnreadableError extends Error {
  override readonly name: string = 'UnreadableError';
}

/** The objects read together have used up their pool: this one is read alone, or not in this run. */
export class PostponedError extends UnreadableError {
  override readonly name = 'PostponedError';
}

/** Deeper than any field of a child: the deepest of a pod template has 16 levels. */
const maxDepth = 64;

/**
 * Steps and characters, of all managers together; a million take about 10 ms. A Deployment as we make it
 * takes 6,000, one of ten containers with 50 variables each 200,000, and 1,800,000 if ten managers hold
 * all of it.
 */
const maxCost = 2_000_000;

/** What any object may cost, whatever was read before it. */
const freeCost = 20_000;

/** What many objects may cost together beyond `freeCost` each. */
export interface Pool {
  /** Takes so much from the pool, or returns false if less is left. */
  readonly take: (steps: number) => boolean;
}

export function openPool(steps: number): Pool {
  let left = steps;
  return {
    take(wanted) {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
  };
}

/** Bounds the reading of one live object: its time, memory and recursion. */
export interface Meter {
  /**
   * Throws an UnreadableError once the object has cost more than it may, a
   * PostponedError once the pool is used up.
   */
  readonly spend: (steps: number) => void;
  /** Every `enter` that returns is followed by a `leave`. */
  readonly enter: () => void;
  readonly leave: () => void;
}

/** Without a pool the object is read on its own. */
export function openMeter(pool: Pool = openPool(maxCost)): Meter {
  let granted = freeCost;
  let cost = 0;
  let depth = 0;
  return {
    spend(steps) {
      cost += steps;
      if (cost <= granted) return;
      if (cost > maxCost)
        throw new UnreadableError(
          'its managedFields take more time and memory to read than allowed',
        );
      // Twice as much each time: few steps of accounting, and at most half of it taken in vain.
      const more = Math.min(Math.max(granted, cost - granted), maxCost - granted);
      if (!pool.take(more))
        throw new PostponedError(
          'the managedFields of the objects beside it take more time to read than allowed; make them fewer or smaller, or delete what is not needed',
        );
      granted += more;
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
