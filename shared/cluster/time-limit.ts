/** A point in time at which all pending calls of `within` end. */
export interface Expiry {
  /** Runs `act`. At the expiry, aborts its signal and throws the error from `late`. */
  readonly within: <T>(act: (signal: AbortSignal) => Promise<T>, late: () => Error) => Promise<T>;
}

/** Returns an expiry at `time`. Its timer runs only while calls are pending. */
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
        // No timer would end this call after the expiry if an earlier `act` ignored its signal and is pending.
        if (controller.signal.aborted) {
          end();
          return;
        }
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

/** Runs `act` with a limit of `ms` milliseconds, as `Expiry.within` does. */
export const within = <T>(
  ms: number,
  act: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> => expiryAt(Date.now() + ms).within(act, late);
