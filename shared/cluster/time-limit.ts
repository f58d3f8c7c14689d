/** Aborts the signal after `ms` milliseconds, and rejects with the error from `late`. */
export const within = <T>(
  ms: number,
  act: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const controller = new AbortController();
    const expire = (): void => {
      reject(late());
      controller.abort(new Error('the time limit was exceeded'));
    };
    const timer = setTimeout(expire, Math.max(0, ms));
    act(controller.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
