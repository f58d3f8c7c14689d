import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Environment } from '../../../shared/environment.ts';
import { compileCache, sourceExtension } from '../../package-root.ts';
import { lineOf } from '../log/narrator.ts';
import { endProcess } from './end-process.ts';
import { StartError } from './start-error.ts';

export interface FunctionOptions {
  readonly target: 'resync' | 'audit';
  /** The port to listen on; 0 for any free port. */
  readonly port: number;
  /** The path of a configuration, or the address of the module that `build` made from one. */
  readonly source: { readonly config: string } | { readonly code: URL };
  readonly env: Environment;
  /** Receives each line that the function logs. */
  readonly onLine: (line: string) => void;
  /** Called when the process ends by itself. */
  readonly onExit: (target: string) => void;
}

export interface FunctionProcess {
  readonly url: URL;
  readonly stop: () => Promise<void>;
  /** Resolves once the port is free, and `ended` once the process has finished its requests (at most 5 s later). */
  readonly release: () => Promise<{ readonly ended: Promise<void> }>;
}

/** A process that has loaded the function but is not listening yet. */
export interface LoadedFunction {
  readonly listen: () => Promise<FunctionProcess>;
  readonly stop: () => Promise<void>;
}

/** Resolves once the function is listening. */
export const startFunction = async (options: FunctionOptions): Promise<FunctionProcess> =>
  (await loadFunction(options)).listen();

/** Throws a StartError with the reason and the last output if the function cannot be loaded. */
export async function loadFunction(options: FunctionOptions): Promise<LoadedFunction> {
  const { target, onLine, onExit } = options;
  const child = forkFunction(options);
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null)
      createInterface(stream).on('line', (line) => {
        output.push(line);
        if (output.length > keptLines) output.shift();
        onLine(line);
      });
  const ended = once(child, 'exit');
  const nextMessage = async (): Promise<ProcessMessage> => {
    const message = await Promise.race([
      once(child, 'message').then(([first]) => first as ProcessMessage),
      ended.then((): ProcessMessage => ({ error: '' })),
    ]);
    if (message.error === undefined) return message;
    await endProcess(child, ended);
    const why = [message.error, ...output.map(lineOf)].filter((text) => text !== '').join('\n');
    throw new StartError(`the ${target} function did not start: ${why || 'it exited'}`);
  };
  let stopping = false;
  const stop = async (): Promise<void> => {
    stopping = true;
    await endProcess(child, ended);
  };
  await nextMessage();
  return {
    stop,
    async listen() {
      child.send('listen', ignored);
      const { port } = await nextMessage();
      child.once('exit', () => {
        if (!stopping) onExit(target);
      });
      return {
        url: new URL(`http://127.0.0.1:${port}/`),
        stop,
        async release() {
          stopping = true;
          child.send('release', ignored);
          // Stops the process if it does not respond to `release`, because an endless loop would keep the port.
          const hung = setTimeout(stop, requestTimeoutMs);
          await Promise.race([once(child, 'message'), ended]);
          clearTimeout(hung);
          return { ended: within(ended, requestTimeoutMs).then(stop) };
        },
      };
    },
  };
}

/** The maximum number of lines of output that an error quotes. */
const keptLines = 200;

function forkFunction({ target, port, source, env }: FunctionOptions) {
  const args = [target, String(port), JSON.stringify(source)];
  return fork(join(import.meta.dirname, `function-process${sourceExtension}`), args, {
    env: { NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

/** Ignores the error from sending to a process that has exited: the `exit` listener handles the exit. */
const ignored = (): void => undefined;

interface ProcessMessage {
  readonly port?: number;
  /** An error in loading or listening. Empty if the process has exited, because its output then gives the reason. */
  readonly error?: string;
}

/**
 * The time that a stopping process has for its requests. A run that takes longer is aborted; a later run does the rest.
 */
const requestTimeoutMs = 5_000;

/** Resolves after `ms` at the latest. */
async function within(promise: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([promise, late.promise]);
  clearTimeout(timer);
}
