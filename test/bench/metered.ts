import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Usage {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMiB: number;
  /** Heap and buffers after a garbage collection. */
  readonly retainedMiB: number;
}

export interface Metered {
  readonly child: ChildProcess;
  /** Resolves with the next message of the program; rejects if the program ends first. */
  readonly message: () => Promise<unknown>;
  /** Measures what the process uses during `act`, optionally including its start. */
  readonly measure: (act: () => Promise<unknown>, withStart?: boolean) => Promise<Usage>;
  /** Usage since the start of the process. */
  readonly spent: () => Promise<Omit<Usage, 'wallSeconds'>>;
  readonly stop: () => Promise<void>;
}

interface Program {
  readonly file: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a Node program that reports its CPU time and memory on request. */
export function startMetered({ file, args = [], cwd, flags = [], env = {} }: Program): Metered {
  const meter = join(import.meta.dirname, 'meter.mjs');
  const child = fork(file, args, {
    cwd,
    execArgv: [...flags, '--expose-gc', '--import', meter],
    env: { ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const message = async (): Promise<unknown> => {
    const ended = exited.then(([code]) => Promise.reject(new Error(`${file} ended with ${code}`)));
    const [first] = await Promise.race([once(child, 'message'), ended]);
    return first;
  };
  const read = async (collect: boolean): Promise<Omit<Usage, 'wallSeconds'>> => {
    child.send(collect);
    return (await message()) as Omit<Usage, 'wallSeconds'>;
  };
  return {
    child,
    message,
    spent: () => read(false),
    async measure(act, withStart = false) {
      const before = withStart ? { cpuSeconds: 0 } : await read(false);
      const began = performance.now();
      await act();
      const wallSeconds = (performance.now() - began) / 1000;
      const { cpuSeconds, peakMiB, retainedMiB } = await read(true);
      return {
        cpuSeconds: cpuSeconds - before.cpuSeconds,
        wallSeconds,
        peakMiB,
        retainedMiB,
      };
    },
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
