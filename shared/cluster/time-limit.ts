type Within = <T>(act: (signal: AbortSignal) => Promise<T>, late: () => Error) => Promise<T>;

/**
 * Returns a function that runs `act` and, at `time`, aborts the signal and throws the error from `late`. All
 * calls use one timer, which runs only while calls are pending.
 */
export function withinUntil(time: number): Within {
  const controller = new AbortController();
  const waiting = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  const expire = (): void => {
    for (const end of waiting) end();
    controller.abort(new Error('the time is over'));
  };
  return (act, late) =>
    new Promise((resolve, reject) => {
      const end = (): void => reject(late());
      // Rejects at once after `time`. The timer might never do so: while an earlier `act` that ignores the signal is
      // pending, it is not set again.
      if (controller.signal.aborted) return end();
      const settle = (): void => {
        waiting.delete(end);
        if (waiting.size === 0) clearTimeout(timer);
      };
      if (waiting.size === 0) timer = setTimeout(expire, Math.max(0, time - Date.now()));
      waiting.add(end);
      act(controller.signal).then(resolve, reject).finally(settle);
    });
}

/** Runs `act` for at most `ms` milliseconds; then aborts the signal and throws the error from `late`. */
export const within = <T>(
  ms: number,
  act: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> => withinUntil(Date.now() + ms)(act, late);
