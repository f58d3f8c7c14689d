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
/** PATH that makes npm, and the commands it starts, use the Node that runs the tests. */
const path = `${dirname(process.execPath)}:${process.env.PATH}`;

/** Copies a function's artefact to a directory of its own and installs its dependencies. */
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

/** Builds a function's artefact from the current sources, with the packages of the tests as its dependencies. */
export async function buildArtefact(
  target: FunctionName,
  config: string = configFile,
): Promise<string> {
  const directory = join(await mkdtemp(join(tmpdir(), 'artefact-')), target);
  await mkdir(directory);
  const { files } = await bundleFunction(config, target);
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
  /** Resolves with the exit code once the process ends. */
  readonly ended: Promise<unknown>;
  /** Reads the peak memory; NaN without `/proc`. */
  readonly peakMiB: () => Promise<number>;
  /** Sends SIGTERM, as a platform does that stops the process. */
  readonly terminate: () => void;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the framework's own command, as the platform does, and stops it at the end of the test.
 *
 * Caveats: with a port number the command would listen on every interface. It is given a socket file
 * instead, so that no one else can connect.
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
    // With NODE_ENV=production the command does not report that it listens.
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
    terminate: () => void child.kill('SIGTERM'),
    stop,
    post: (body) => post(socketPath, body),
    peakMiB: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
  };
}

/** Collects the output of the command; resolves once it reports that it listens. */
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
