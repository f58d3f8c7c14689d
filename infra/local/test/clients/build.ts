import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce } from '../../control-plane/build-cache.ts';
import { goBuild } from '../../control-plane/go.ts';

/** A program that uses an API server; the path of a kubeconfig follows its arguments. */
export interface ClientProgram {
  readonly command: string;
  readonly args: readonly string[];
}

const run = promisify(execFile);
const goSources = join(import.meta.dirname, 'go');
const pythonSources = join(import.meta.dirname, 'python');

/**
 * Builds the Go client unless it is in the cache.
 *
 * Caveats: the first build takes minutes.
 */
export async function buildGoClient(): Promise<ClientProgram> {
  const directory = await buildOnce({
    name: 'clients/client-go',
    sources: await filesIn(goSources),
    make: (unfinished) => goBuild(goSources, unfinished, { packages: ['.'] }),
  });
  return { command: join(directory, 'go'), args: ['-kubeconfig'] };
}

/** Installs the packages of the Python client unless they are in the cache. */
export async function installPythonClient(): Promise<ClientProgram> {
  const requirements = join(pythonSources, 'requirements.txt');
  // A virtual environment that is moved keeps its python, but not the scripts next to it.
  const directory = await buildOnce({
    name: 'clients/python',
    sources: [requirements],
    async make(unfinished) {
      await run('python3', ['-m', 'venv', unfinished]);
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
      await run(join(unfinished, 'bin', 'python'), [...pip, '-r', requirements]);
    },
  });
  const python = join(directory, 'bin', 'python');
  return { command: python, args: ['-B', join(pythonSources, 'main.py')] };
}

async function filesIn(directory: string): Promise<readonly string[]> {
  return (await readdir(directory)).sort().map((name) => join(directory, name));
}
