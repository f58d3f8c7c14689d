/** As Promise.all, but rejects only once all are settled: what goes on after a failure would keep what nobody releases. */
export async function whenAll(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
