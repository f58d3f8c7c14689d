import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface CachedBuild {
  /** The directory in the cache, such as `clients/go`. */
  readonly name: string;
  /** The sources; the build is repeated when their content changes. */
  readonly sources: readonly string[];
  readonly make: (directory: string) => Promise<unknown>;
}

/**
 * Returns the directory in the user's cache that holds the result of a build.
 *
 * Guarantees: the directory never holds a partial build, because a complete build is renamed into place. Two concurrent
 * builds both succeed.
 */
export async function buildOnce({ name, sources, make }: CachedBuild): Promise<string> {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const hash = createHash('sha256');
  for (const source of sources) hash.update(await readFile(source));
  const path = join(caches, 'serverless-reconciler', name);
  const directory = `${path}-${hash.digest('hex').slice(0, 8)}`;
  if (existsSync(directory)) return directory;
  await mkdir(join(path, '..'), { recursive: true });
  const unfinished = await mkdtemp(`${path}-unfinished-`);
  try {
    await make(unfinished);
    await rename(unfinished, directory).catch((error: unknown) => {
      if (!existsSync(directory)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return directory;
}
