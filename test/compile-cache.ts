import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Node processes that tests start keep their compiled code for each other: loading the same thousand
 * modules is most of what they compute.
 *
 * Caveats: only those that are given this process's environment, and that exit by themselves, as the
 * cache is written at an exit.
 */
export async function setup(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'compile-cache-'));
  process.env.NODE_COMPILE_CACHE = directory;
  return () => rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
