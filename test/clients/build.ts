import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A program that uses an API server; the path of a kubeconfig comes after the arguments. */
export interface ClientProgram {
  readonly command: string;
  readonly args: readonly string[];
}

const run = promisify(execFile);
const goSources = join(import.meta.dirname, 'go');
const pythonSources = join(import.meta.dirname, 'python');

/** Builds the client in Go, or finds it built before. Caveat: the first time takes minutes. */
export async function buildGoClient(): Promise<ClientProgram> {
  const directory = await madeOnce('go', await filesIn(goSources), async (unfinished) => {
    const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
    const options = { cwd: goSources, env };
    await run('go', ['build', '-trimpath', '-p', '2', '-o', `${unfinished}/clients`, '.'], options);
  });
  return { command: join(directory, 'clients'), args: ['-kubeconfig'] };
}

/** Installs the packages that the client in Python needs, or finds them installed before. */
export async function installPythonClient(): Promise<ClientProgram> {
  const requirements = join(pythonSources, 'requirements.txt');
  // Moved later, an environment keeps its python, though not the scripts beside it.
  const directory = await madeOnce('python', [requirements], async (unfinished) => {
    await run('python3', ['-m', 'venv', unfinished]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await run(join(unfinished, 'bin', 'python'), [...pip, '-r', requirements]);
  });
  const python = join(directory, 'bin', 'python');
  return { command: python, args: ['-B', join(pythonSources, 'main.py')] };
}

/** A directory for what is made of these files; never half of it, since it is renamed into place. */
async function madeOnce(
  name: string,
  sources: readonly string[],
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const parent = join(caches, 'serverless-reconciler', 'clients');
  const hash = createHash('sha256');
  for (const source of sources) hash.update(await readFile(source));
  const directory = join(parent, `${name}-${hash.digest('hex').slice(0, 8)}`);
  if (existsSync(directory)) return directory;
  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(join(parent, 'unfinished-'));
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

async function filesIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).sort().map((name) => join(directory, name));
}
