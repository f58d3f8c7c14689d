import { isDeeperThan, maxDepth } from '../../canonical.ts';

/** Thrown for a live object that is larger or more deeply nested than any legitimate one. */
export class UnreadableError extends Error {
  override readonly name: string = 'UnreadableError';
}

/** Thrown if other objects have used up the pool. A read of the object by name may succeed. */
export class PostponedError extends UnreadableError {
  override readonly name = 'PostponedError';
}

/**
 * Maximum cost of one object, in units of 10 ns. A typical Deployment takes 6,000. One with ten containers of
 * 50 variables each, and ten managers that own all fields, takes 1,800,000.
 */
const maxCost = 2_000_000;

/** Units that each object may use before it takes any from the pool. */
const freeCost = 20_000;

/** A budget of units that several objects share. A call takes units from it, or returns false if too few are left. */
export type Pool = (units: number) => boolean;

export function openPool(units: number): Pool {
  let left = units;
  return (taken) => {
    if (taken > left) return false;
    left -= taken;
    return true;
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

/** Counts the units spent on reading one live object, and so bounds time and memory. */
export type Meter = (units: number) => void;

/**
 * Guarantees: the meter throws an UnreadableError if the object costs more than allowed, and a PostponedError if the
 * pool is used up. `what` is the metered part of the object, for messages.
 */
export function openMeter(pool = openPool(maxCost), what = 'managedFields'): Meter {
  let granted = freeCost;
  let cost = 0;
  return (units) => {
    cost += units;
    if (cost <= granted) return;
    if (cost > maxCost)
      throw new UnreadableError(`its ${what} take more time and memory to read than allowed`);
    if (!pool(cost - granted))
      throw new PostponedError(
        `the ${what} of this and other objects together take more time to read than allowed; delete objects that are not needed, or reduce the size of their ${what}`,
      );
    granted = cost;
  };
}

export function requireShallow(value: unknown, what: string): void {
  if (isDeeperThan(maxDepth, value))
    throw new UnreadableError(`${what} nested deeper than ${maxDepth} levels`);
}
