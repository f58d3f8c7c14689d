import { isDeeperThan } from '../../canonical.ts';

/** The error for a live object that is deeper or larger than any legitimate one. */
export class UnreadableError extends Error {
  override readonly name: string = 'UnreadableError';
}

/** Thrown if other objects have used up the pool. The object is then read by name, or not in this run. */
export class PostponedError extends UnreadableError {
  override readonly name = 'PostponedError';
}

/** Limit of nesting: no field of a child has more levels. A pod template has 16. */
const maxDepth = 64;

/**
 * Limit of units for one object; a million take about 10 ms. A typical Deployment takes 6,000. The worst, of ten
 * containers with 50 variables each and ten managers that own all of it, takes 1,800,000.
 */
const maxCost = 2_000_000;

/** Units that each object may take even when the pool is used up. */
const freeCost = 20_000;

/** A budget of units that several objects share, in addition to `freeCost` for each. */
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
  /** Throws an UnreadableError if the object costs more than allowed, a PostponedError if the pool is used up. */
  readonly spend: (units: number) => void;
  /** Descends one level. Call `leave` after every `enter` that did not throw. */
  readonly enter: () => void;
  readonly leave: () => void;
}

/** How messages begin if this object takes too much, and if all objects of its pool together do. */
interface Subjects {
  readonly one: string;
  readonly all: string;
}

const managedFields: Subjects = {
  one: 'its managedFields take',
  all: 'the managedFields of the objects listed with it take',
};

/** Returns a meter; without `pool`, the object has one of its own. */
export function openMeter(
  pool: Pool = openPool(maxCost),
  subjects: Subjects = managedFields,
): Meter {
  let granted = freeCost;
  let cost = 0;
  let depth = 0;
  return {
    spend(units) {
      cost += units;
      if (cost <= granted) return;
      if (cost > maxCost)
        throw new UnreadableError(`${subjects.one} more time and memory to read than allowed`);
      // Doubles the total each time, so that few calls are needed and at most half of the units taken are unused.
      const more = Math.min(Math.max(granted, cost - granted), maxCost - granted);
      if (!pool.take(more))
        throw new PostponedError(
          `${subjects.all} more time to read than allowed; delete objects that are not needed, or reduce the size of their managedFields`,
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

/** Throws an UnreadableError if a value is nested deeper than any field of a child. */
export function requireShallow(value: unknown, what?: string): void {
  if (isDeeperThan(maxDepth, value)) throw tooDeep(what);
}
