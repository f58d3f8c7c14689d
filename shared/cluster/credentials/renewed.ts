/** A value that was read, with times in milliseconds since the epoch. */
export interface Perishable<T> {
  readonly value: T;
  readonly refreshAt: number;
  /** Until when it is used if it cannot be read again. */
  readonly expiresAt: number;
}

/**
 * Returns a function that caches a value. It reads the value when first called, once `refreshAt` is over, and
 * whenever called with `fresh`, as after a 401.
 *
 * Guarantees: concurrent callers share a read. If the read fails, the last value is used until it expires; with
 * `fresh`, the error is thrown.
 */
export function renewed<T>(
  read: (fresh: boolean) => Promise<Perishable<T>>,
  initial?: Perishable<T>,
): (fresh: boolean) => Promise<T> {
  let kept = initial;
  const underWay = new Map<boolean, Promise<Perishable<T>>>();
  const renew = (fresh: boolean): Promise<Perishable<T>> => {
    const begin = () => read(fresh).finally(() => underWay.delete(fresh));
    const reading = underWay.get(true) ?? underWay.get(fresh) ?? begin();
    underWay.set(fresh, reading);
    return reading;
  };
  return async (fresh) => {
    if (!fresh && kept !== undefined && Date.now() < kept.refreshAt) return kept.value;
    try {
      kept = await renew(fresh);
      return kept.value;
    } catch (error) {
      if (fresh || kept === undefined || Date.now() >= kept.expiresAt) throw error;
      return kept.value;
    }
  };
}
