import { isDeeperThan } from '../../canonical.ts';

/** Thrown if a live object is deeper or larger than any legitimate one. */
export class UnreadableError extends Error {
  override readonly name: string = 'UnreadableError';
}

/** Thrown if earlier objects have used up the pool, so that this object is read by name, or not in this run. */
export class PostponedError extends UnreadableError {
  override readonly name = 'PostponedError';
}

/** More levels than any field of a child has: a pod template has 16. */
const maxDepth = 64;

/**
 * Steps and characters for all managers of an object; a million take about 10 ms. A Deployment of ours takes 6,000; one
 * of ten containers with 50 variables each takes 200,000, and 1,800,000 if ten managers hold all of it.
 */
const maxCost = 2_000_000;

/** Steps that any object may take, even when the pool is used up. */
const freeCost = 20_000;

/** Steps that several objects share, beyond `freeCost` for each. */
export interface Pool {
  /** Takes `steps` from the pool; returns false if less is left. */
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

/** Returns a pool for each namespace, opened on first use. */
export function openPools(steps: number): (namespace: string) => Pool {
  const pools = new Map<string, Pool>();
  return (namespace) => {
    const pool = pools.get(namespace) ?? openPool(steps);
    pools.set(namespace, pool);
    return pool;
  };
}

/** Bounds the reading of one live object: its time, memory and recursion. */
export interface Meter {
  /** Throws an UnreadableError if the object costs more than allowed, a PostponedError if the pool is used up. */
  readonly spend: (steps: number) => void;
  /** Call `leave` after every `enter` that returns. */
  readonly enter: () => void;
  readonly leave: () => void;
}

/** Subjects of messages about cost: one object, and all objects that share the pool. */
interface Costly {
  readonly one: string;
  readonly all: string;
}

const managedFields: Costly = {
  one: 'its managedFields take',
  all: 'the managedFields of the objects listed with it take',
};

/** By default the object has a pool of its own. */
export function openMeter(pool: Pool = openPool(maxCost), what: Costly = managedFields): Meter {
  let granted = freeCost;
  let cost = 0;
  let depth = 0;
  return {
    spend(steps) {
      cost += steps;
      if (cost <= granted) return;
      if (cost > maxCost)
        throw new UnreadableError(`${what.one} more time and memory to read than allowed`);
      // Doubled each time, so that there are few grants and at most half of the pool's share is unused.
      const more = Math.min(Math.max(granted, cost - granted), maxCost - granted);
      if (!pool.take(more))
        throw new PostponedError(
          `${what.all} more time to read than allowed; delete objects that are not needed, or reduce the size of their managedFields`,
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

const tooDeep = (what = 'its managedFields are'): UnreadableError =>
  new UnreadableError(`${what} nested deeper than ${maxDepth} levels`);

/** Throws an UnreadableError if a value has more levels than any field of a child. */
export function requireShallow(value: unknown, what?: string): void {
  if (isDeeperThan(maxDepth, value)) throw tooDeep(what);
}
