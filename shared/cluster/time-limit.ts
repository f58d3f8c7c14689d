/** A time limit for several calls. */
export interface Expiry {
  /** Runs `act`. At the time limit, aborts the signal and throws the error from `late`. */
  readonly within: <T>(act: (signal: AbortSignal) => Promise<T>, late: () => Error) => Promise<T>;
}

/** Returns a time limit with one timer, which runs only while calls are pending. */
export function expiryAt(time: number): Expiry {
  const controller = new AbortController();
  const waiting = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  const expire = (): void => {
    for (const end of waiting) end();
    controller.abort(new Error('the time is over'));
  };
  return {
    within: (act, late) =>
      new Promise((resolve, reject) => {
        const end = (): void => reject(late());
        // No further timer starts while an earlier `act` that ignores the signal is pending.
        if (controller.signal.aborted) return end();
        const settle = (): void => {
          waiting.delete(end);
          if (waiting.size === 0) clearTimeout(timer);
        };
        if (waiting.size === 0) timer = setTimeout(expire, Math.max(0, time - Date.now()));
        waiting.add(end);
        act(controller.signal).then(resolve, reject).finally(settle);
      }),
  };
}

/** Runs `act` for at most `ms` milliseconds; then aborts the signal and throws the error from `late`. */
export const within = <T>(
  ms: number,
  act: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> => expiryAt(Date.now() + ms).within(act, late);
