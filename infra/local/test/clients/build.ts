import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce } from '../../control-plane/build-cache.ts';
import { goBuild } from '../../control-plane/go.ts';

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
  const directory = await buildOnce({
    name: 'clients/client-go',
    sources: await filesIn(goSources),
    make: (unfinished) => goBuild(goSources, unfinished, { packages: ['.'] }),
  });
  return { command: join(directory, 'go'), args: ['-kubeconfig'] };
}

/** Installs the packages that the client in Python needs, or finds them installed before. */
export async function installPythonClient(): Promise<ClientProgram> {
  const requirements = join(pythonSources, 'requirements.txt');
  // Moved later, an environment keeps its python, though not the scripts beside it.
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
