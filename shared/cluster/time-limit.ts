/** Ends, at one point in time, everything that still waits. */
export interface Expiry {
  /** Runs `act`; at that time throws the error of `late` instead, and aborts the signal. */
  readonly within: <T>(act: (signal: AbortSignal) => Promise<T>, late: () => Error) => Promise<T>;
}

/** Opens an expiry, with one timer that runs only while anything waits. */
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
        // Rejects at once, because no timer is set while an act that ignored the signal still waits.
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

/** Runs `act` with a time limit of `ms` milliseconds: see `Expiry`. */
export const within = <T>(
  ms: number,
  act: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> => expiryAt(Date.now() + ms).within(act, late);
