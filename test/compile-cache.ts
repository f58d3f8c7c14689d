import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const directory = join(import.meta.dirname, '../node_modules/.cache/tests');

/** Limits the cache; one run writes about 40 MiB, most of which the next run reuses. */
const maxBytes = 200 * 2 ** 20;

/**
 * Shares compiled code among the Node processes that tests start, and with later runs. Most of their CPU
 * time goes into loading the same thousand modules.
 *
 * Caveats: a process needs this process's environment, and has to exit by itself, because Node writes the
 * cache at exit. Temporary projects leave code behind, so a cache that has grown too large is deleted.
 */
export async function setup(): Promise<void> {
  if ((await bytesIn(directory)) > maxBytes)
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  process.env.NODE_COMPILE_CACHE = directory;
}

async function bytesIn(directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const sizes = names.map(
    async (name) => (await stat(join(directory, name)).catch(() => undefined))?.size,
  );
  return (await Promise.all(sizes)).reduce<number>((sum, size = 0) => sum + size, 0);
}
