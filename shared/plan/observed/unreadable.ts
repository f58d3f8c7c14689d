import { isDeeperThan, maxDepth } from '../../canonical.ts';

/** The object is larger or more deeply nested than any legitimate object. */
export class UnreadableError extends Error {
  override readonly name: string = 'UnreadableError';
}

/** Other objects have used up the pool. The object may be readable by itself. */
export class PostponedError extends UnreadableError {
  override readonly name = 'PostponedError';
}

/** For one object, in units of 10 ns. A Deployment with 500 variables and ten managers costs 1,800,000. */
const maxCost = 2_000_000;

/** An object of at most this cost, such as a typical Deployment (6,000), takes nothing from the shared pool. */
const freeCost = 20_000;

/** A budget of units that objects share. Returns false if too few are left. */
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

export type Meter = (units: number) => void;

/** Bounds the time and memory to read one object. The meter throws a PostponedError once the pool is used up. */
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
