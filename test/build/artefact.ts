import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { bundleFunction, type FunctionName } from '../../infra/build/bundle.ts';
import { packageRoot as root } from '../../infra/package-root.ts';
import { configFile } from '../support/config.ts';

const run = promisify(execFile);
/** The Node that runs the tests, for npm and whatever it starts, too. */
const path = `${dirname(process.execPath)}:${process.env.PATH}`;

/** A function's artefact in a directory of its own, with what its package.json asks for installed. */
export async function installArtefact(target: FunctionName): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'artefact-'));
  const directory = join(parent, target);
  await cp(join(root, 'dist', target), directory, { recursive: true });
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--engine-strict'];
  try {
    await run('npm', ['ci', ...options], { cwd: directory, env: { ...process.env, PATH: path } });
    return directory;
  } catch (error) {
    await removeArtefact(directory);
    throw error;
  }
}

export const removeArtefact = (directory: string): Promise<void> =>
  rm(dirname(directory), { recursive: true });

/** A function's artefact as it is built now, beside the packages that the tests run with. */
export async function buildArtefact(target: FunctionName): Promise<string> {
  const directory = join(await mkdtemp(join(tmpdir(), 'artefact-')), target);
  await mkdir(directory);
  const { files } = await bundleFunction(configFile, target);
  for (const [name, content] of Object.entries(files))
    await writeFile(join(directory, name), content);
  await writeFile(join(directory, 'package.json'), '{"type":"commonjs","main":"index.js"}');
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

export interface Serving {
  readonly socketPath: string;
  readonly post: (body: object) => Promise<{ readonly code: number; readonly body: unknown }>;
  readonly output: readonly string[];
  /** Resolves with the exit code, if it ends by itself. */
  readonly ended: Promise<unknown>;
  /** NaN where there is no `/proc`. */
  readonly peakMiB: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the framework's own command, as the platform does; it ends with the test.
 *
 * Caveats: given a port, the command listens on every interface. Given a path it listens on a socket
 * file, so that no one else can connect.
 */
export async function serveArtefact(
  directory: string,
  {
    target,
    env,
  }: { readonly target: FunctionName; readonly env: Readonly<Record<string, string>> },
): Promise<Serving> {
  const socketPath = join(dirname(directory), `${crypto.randomUUID()}.sock`);
  const command = join(directory, 'node_modules', '.bin', 'functions-framework');
  const child = spawn(command, [`--target=${target}`, `--port=${socketPath}`], {
    cwd: directory,
    // In production the command does not say that it serves.
    env: { PATH: path, NODE_ENV: 'development', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([code]) => code as unknown);
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(stop);
  const output: string[] = [];
  await Promise.race([collectOutput(child, output), ended]);
  return {
    socketPath,
    output,
    ended,
    stop,
    post: (body) => post(socketPath, body),
    peakMiB: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
  };
}

/** Notes all that is output; resolves once the command says that it serves. */
function collectOutput(child: ChildProcess, output: string[]): Promise<void> {
  return new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface(stream).on('line', (line) => {
        output.push(line);
        if (line.startsWith('URL: ')) resolve();
      });
    }
  });
}

async function post(socketPath: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const sent = request({ socketPath, method: 'POST', path: '/', headers });
  sent.end(JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return { code: response.statusCode as number, body: JSON.parse(await text(response)) as unknown };
}
