import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm, symlink } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { packageRoot as root } from '../../infra/package-root.ts';
import type { Memory, Question } from './preload.ts';

export interface ProcessOptions {
  /** Name of the process, and of its requests at the proxy. */
  readonly name: string;
  readonly target: 'resync' | 'audit';
  readonly env: Readonly<Record<string, string>>;
  /** Directory with the artefacts, `resync/` and `audit/`, and the socket. */
  readonly directory: string;
  readonly onLine: (line: string) => void;
}

export interface FunctionResponse {
  readonly code: number;
  readonly text: string;
}

/** A function in its own process, started by the framework's command as when deployed. */
export interface FunctionProcess {
  readonly name: string;
  readonly isAlive: () => boolean;
  /** Posts a body; throws if the process dies before it responds. */
  readonly post: (
    body: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<FunctionResponse>;
  /** Sends a signal; resolves once the process has ended. */
  readonly kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>;
  /** Returns the number of posts handled. */
  readonly handled: () => number;
  readonly shiftClock: (ms: number) => void;
  /** Measures the memory; resolves with undefined if the process ends meanwhile. */
  readonly memory: () => Promise<Memory | undefined>;
}

const { resolve } = createRequire(import.meta.url);
const framework = join(resolve('@google-cloud/functions-framework'), '..', 'main.js');
const preload = new URL('./preload.ts', import.meta.url).href;

let sockets = 0;

/** Copies the built artefacts, so that a later build does not affect running functions. */
export async function copyArtefacts(directory: string): Promise<void> {
  for (const target of ['resync', 'audit'])
    await cp(join(root, 'dist', target), join(directory, target), { recursive: true });
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
}

/**
 * Serves a copied artefact with the functions framework's own command, and resolves once it listens.
 *
 * Guarantees: the function listens on a socket file, which no other user can reach, and ends with this process.
 */
export async function startFunctionProcess(options: ProcessOptions): Promise<FunctionProcess> {
  const { name, target, env, directory, onLine } = options;
  const socketPath = join(directory, `${name}-${++sockets}.sock`);
  const child = spawn(
    process.execPath,
    [
      '--expose-gc',
      `--import=${preload}`,
      framework,
      `--target=${target}`,
      `--source=${join(directory, target)}`,
      `--port=${socketPath}`,
    ],
    // With NODE_ENV=production the framework does not report that it listens.
    {
      env: { PATH: process.env.PATH, NODE_ENV: 'development', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const ended = once(child, 'exit');
  const listening = Promise.withResolvers<void>();
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface(stream).on('line', (line) => {
      if (line.startsWith('URL: ')) listening.resolve();
      if (output.length < 20) output.push(line);
      onLine(line);
    });
  }
  let handled = 0;
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  await Promise.race([listening.promise, ended]);
  if (!isAlive()) throw new Error(`the ${target} function did not start: ${output.join('\n')}`);

  const ask = (question: Question): void => {
    if (isAlive() && child.connected) child.send(question, () => undefined);
  };
  return {
    name,
    isAlive,
    async post(body, headers) {
      const response = await post(socketPath, body, headers);
      handled++;
      return response;
    },
    handled: () => handled,
    async kill(signal) {
      if (isAlive()) child.kill(signal);
      await ended;
      await rm(socketPath, { force: true });
    },
    shiftClock: (shiftClockMs) => ask({ shiftClockMs }),
    async memory() {
      const reply = once(child, 'message').then(([memory]) => memory as Memory);
      ask('memory');
      return Promise.race([reply, ended.then(() => undefined)]);
    },
  };
}

async function post(
  socketPath: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<FunctionResponse> {
  const all = { 'content-type': 'application/json', ...headers };
  const sent = request({ socketPath, method: 'POST', path: '/', headers: all });
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { code: response.statusCode as number, text: await text(response) };
}
