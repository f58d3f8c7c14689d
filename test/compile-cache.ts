import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const directory = join(import.meta.dirname, '../node_modules/.cache/tests');

/** One run writes some 40 MiB, of which the next one finds most. */
const maxBytes = 200 * 2 ** 20;

/**
 * Node processes that tests start keep their compiled code for each other, and for the next run: loading
 * the same thousand modules is most of what they compute.
 *
 * Caveats: only those that are given this process's environment, and that exit by themselves, as the
 * cache is written at an exit. Temporary projects leave code behind, so a large cache is begun anew.
 */
export async function setup(): Promise<void> {
  if ((await bytesIn(directory)) > maxBytes)
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  process.env.NODE_COMPILE_CACHE = directory;
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names.map(
    async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size,
  );
  return (await Promise.all(sizes)).reduce<number>((sum, size = 0) => sum + size, 0);
}
