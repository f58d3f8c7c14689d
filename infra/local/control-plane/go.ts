import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs the go command in a module and returns its output. `onLine` receives its stderr, line by line. */
export async function go(
  moduleDirectory: string,
  args: readonly string[],
  onLine?: (line: string) => void,
): Promise<string> {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
  const options = { cwd: moduleDirectory, env, maxBuffer: 64 << 20 };
  const running = run('go', [...args], options);
  const { stderr } = running.child;
  if (onLine !== undefined && stderr !== null)
    createInterface({ input: stderr }).on('line', onLine);
  const { stdout } = await running.catch((error: { stderr?: string }) => {
    const tail = error.stderr?.trim().split('\n').slice(-15).join('\n');
    throw new Error(`go ${args[0]} failed:\n${tail}`, { cause: error });
  });
  return stdout;
}

interface Build {
  readonly packages: readonly string[];
  readonly flags?: string;
  /** Build tags, comma-separated. */
  readonly tags?: string;
  /** Receives the number of compiled packages and their total, without those in Go's cache. */
  readonly onProgress?: (done: number, of: number) => void;
}

/** Builds commands of a module, or of its dependencies, into a directory. */
export async function goBuild(
  moduleDirectory: string,
  directory: string,
  { packages, flags = '-s -w', tags = '', onProgress }: Build,
): Promise<void> {
  await requireGo(moduleDirectory);
  const output = ['-ldflags', flags, '-o', `${directory}/`];
  const args = ['-trimpath', '-p', '2', '-tags', tags, ...output, ...packages];
  if (onProgress === undefined) {
    await go(moduleDirectory, ['build', ...args]);
    return;
  }
  const listed = await go(moduleDirectory, ['list', '-deps', ...packages]);
  const names = new Set(listed.trim().split('\n'));
  let done = 0;
  await go(moduleDirectory, ['build', '-v', ...args], (line) => {
    if (names.has(line)) onProgress(++done, names.size);
  });
}

async function requireGo(moduleDirectory: string): Promise<void> {
  const module = await readFile(join(moduleDirectory, 'go.mod'), 'utf8');
  const needed = /^go (\S+)/m.exec(module)?.[1];
  const remedy = `this is built from source: install Go ${needed} or newer (https://go.dev/dl) and put it on PATH`;
  // Called outside the module, where an older go still answers.
  const command = ['env', 'GOVERSION', 'GOTOOLCHAIN'];
  const answer = await run('go', command, { cwd: '/' }).catch((cause: unknown) => {
    throw new Error(`no go command found; ${remedy}`, { cause });
  });
  const [version = '', toolchain] = answer.stdout.split('\n');
  const isOld = minorOf(version.replace(/^go/, '')) < minorOf(needed);
  if (isOld && toolchain === 'local') throw new Error(`go is ${version}; ${remedy}`);
}

const minorOf = (version = ''): number => Number(version.split('.')[1] ?? 0);
