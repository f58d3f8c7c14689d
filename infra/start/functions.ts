import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sourceExtension } from '../package-root.ts';
import { lineOf } from './narrator.ts';
import { StartError } from './start-error.ts';

export interface FunctionOptions {
  readonly target: 'resync' | 'audit';
  /** 0 takes a free one. */
  readonly port: number;
  /** The file of a configuration, or a module that was built from one. */
  readonly source: { readonly config: string } | { readonly code: URL };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Each line the function logs. */
  readonly onLine: (line: string) => void;
  /** The process ended by itself. */
  readonly onExit: (target: string) => void;
}

export interface FunctionProcess {
  readonly url: URL;
  readonly stop: () => Promise<void>;
}

/** Starts a function as a process of its own; resolves once it listens. */
export async function startFunction(options: FunctionOptions): Promise<FunctionProcess> {
  const { target, port, source, env, onLine, onExit } = options;
  const args = [target, String(port), JSON.stringify(source)];
  const child = fork(join(import.meta.dirname, `function-process${sourceExtension}`), args, {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface(stream).on('line', (line) => {
      output.push(line);
      onLine(line);
    });
  }
  const ended = once(child, 'exit');
  const message = await Promise.race([
    once(child, 'message').then(([first]) => first as StartMessage),
    ended.then((): StartMessage => ({ error: 'exit' })),
  ]);
  if (message.error !== undefined) {
    await end(child, ended);
    throw new StartError(
      `the ${target} function did not start: ${output.map(lineOf).join('\n') || message.error}`,
    );
  }
  let stopping = false;
  child.once('exit', () => {
    if (!stopping) onExit(target);
  });
  return {
    url: new URL(`http://127.0.0.1:${message.port}/`),
    async stop() {
      stopping = true;
      await end(child, ended);
    },
  };
}

interface StartMessage {
  readonly port?: number;
  readonly error?: string;
}

/** A function that has not exited by then, because it is suspended for instance, is killed. */
const stopTimeoutMs = 2_000;

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const hung = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(hung);
}
