/**
 * The result of `act`. After `ms` milliseconds the error of `late` is thrown at once and the signal is
 * aborted; a later result of `act` is ignored.
 */
export async function within<T>(
  ms: number,
  act: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
): Promise<T> {
  const controller = new AbortController();
  const expiry = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => {
      const error = late();
      expiry.reject(error);
      controller.abort(error);
    },
    Math.max(0, ms),
  );
  try {
    return await Promise.race([act(controller.signal), expiry.promise]);
  } finally {
    clearTimeout(timer);
  }
}
