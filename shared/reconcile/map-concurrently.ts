/**
 * Maps items concurrently; results are in the order of the items, as with p-map.
 *
 * Guarantees: at most `concurrency` items are worked on at once. After the first rejection, which is passed on, no
 * further item is begun.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  concurrency: number,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const take = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      try {
        results[at] = await work(items[at] as T);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, take));
  return results;
}
