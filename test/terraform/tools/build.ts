import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const moduleDirectory = import.meta.dirname;

/**
 * The `tofu` command of the version that go.mod pins, built or found built before.
 *
 * Guarantees: the cache never holds half a build, since a finished one is renamed into place; two
 * builds at once both succeed. Caveat: a first build takes three to five minutes on two cores.
 */
export async function buildTofu(log: (line: string) => void): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const pins = createHash('sha256').update(await readFile(join(moduleDirectory, 'go.mod')));
  const parent = join(cache, 'serverless-reconciler', 'opentofu');
  const directory = join(parent, pins.digest('hex').slice(0, 12));
  const program = join(directory, 'tofu');
  if (existsSync(directory)) return program;

  log(`building OpenTofu into ${directory} (once, some minutes)`);
  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(join(parent, 'unfinished-'));
  try {
    await go(['build', '-trimpath', '-p', '2', '-ldflags', '-s -w', '-o', `${unfinished}/`, tool]);
    await rename(unfinished, directory).catch((error: unknown) => {
      if (!existsSync(directory)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return program;
}

const tool = 'github.com/opentofu/opentofu/cmd/tofu';

async function go(args: readonly string[]): Promise<void> {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
  await run('go', [...args], { cwd: moduleDirectory, env, maxBuffer: 64 << 20 }).catch(
    (error: { code?: string | number; stderr?: string }) => {
      const why =
        error.code === 'ENOENT'
          ? 'there is no go command: install Go 1.26 or newer (https://go.dev/dl) and put it on PATH'
          : error.stderr?.trim().split('\n').slice(-15).join('\n');
      throw new Error(`cannot build OpenTofu: ${why}`, { cause: error });
    },
  );
}
