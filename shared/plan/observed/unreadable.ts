import { isDeeperThan } from '../../canonical.ts';

/** Thrown for a live object that is larger or more deeply nested than any legitimate one. */
export class UnreadableError extends Error {
  override readonly name: string = 'UnreadableError';
}

/** Thrown if other objects have used up the pool. A read of the object by name may succeed. */
export class PostponedError extends UnreadableError {
  override readonly name = 'PostponedError';
}

/** Maximum nesting of a child's fields. A pod template has 16 levels. */
const maxDepth = 64;

/**
 * Maximum cost of one object, in units of 10 ns. A typical Deployment takes 6,000. One with ten containers of
 * 50 variables each, and ten managers that own all fields, takes 1,800,000.
 */
const maxCost = 2_000_000;

/** Units that each object may use before it takes any from the pool. */
const freeCost = 20_000;

/** A budget of units that several objects share. */
export interface Pool {
  /** Takes `units` from the pool; returns false if less is left. */
  readonly take: (units: number) => boolean;
}

export function openPool(units: number): Pool {
  let left = units;
  return {
    take(taken) {
      if (taken > left) return false;
      left -= taken;
      return true;
    },
  };
}

export function openPools(units: number): (namespace: string) => Pool {
  const pools = new Map<string, Pool>();
  return (namespace) => {
    const pool = pools.get(namespace) ?? openPool(units);
    pools.set(namespace, pool);
    return pool;
  };
}

/** Bounds the time, memory and recursion of reading one live object. */
export interface Meter {
  readonly spend: (units: number) => void;
  /** Descends one level. Call `leave` after every `enter` that did not throw. */
  readonly enter: () => void;
  readonly leave: () => void;
}

/**
 * Returns a meter for one object. `what` is the metered part of the object, for messages.
 *
 * Guarantees: `spend` throws an UnreadableError if the object costs more than allowed, and a PostponedError if
 * the pool is used up.
 */
export function openMeter(pool = openPool(maxCost), what = 'managedFields'): Meter {
  let granted = freeCost;
  let cost = 0;
  let depth = 0;
  return {
    spend(units) {
      cost += units;
      if (cost <= granted) return;
      if (cost > maxCost)
        throw new UnreadableError(`its ${what} take more time and memory to read than allowed`);
      // Doubles the grant, or raises it further if needed, so that `take` is seldom called.
      const more = Math.min(Math.max(granted, cost - granted), maxCost - granted);
      if (!pool.take(more))
        throw new PostponedError(
          `the ${what} of the objects read with it take more time to read than allowed; delete objects that are not needed, or reduce the size of their ${what}`,
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

/** Throws an UnreadableError if a value is nested deeper than `maxDepth`. */
export function requireShallow(value: unknown, what?: string): void {
  if (isDeeperThan(maxDepth, value)) throw tooDeep(what);
}
