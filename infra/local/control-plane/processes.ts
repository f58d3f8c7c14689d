import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Component } from './components.ts';

/** The processes of one control plane, and their directory. */
export interface Processes {
  start(component: Component): void;
  /** Calls `attempt` until it returns a value; throws at once if a component has exited. */
  until<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T>;
  /** Kills every process and removes the directory; resolves when both are done. */
  stop(): Promise<void>;
}

const deadlineMilliseconds = 60_000;

/**
 * Starts processes that end with this process.
 *
 * Flow: a reaper in its own process group holds one end of a pipe and reads the ids of all components from it. When the
 * pipe closes, the reaper kills the components and removes the directory.
 * Guarantees: no process outlives this process, even if this process is killed.
 */
export function superviseProcesses(programs: string, directory: string): Processes {
  const reaper = startReaper(directory);
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  let stopping = false;

  function start({ name, args }: Component): void {
    const logFile = join(directory, `${name}.log`);
    const log = openSync(logFile, 'a');
    const child = spawn(join(programs, name), [...args], { stdio: ['ignore', log, log] });
    closeSync(log);
    child.unref();
    if (child.pid !== undefined) reaper.add(child.pid);
    onceDead(child, (how) => {
      if (!stopping) failure.reject(new Error(`${name} ${how}:\n${tail(logFile)}`));
    });
  }

  async function until<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
    const end = Date.now() + deadlineMilliseconds;
    let last: unknown;
    while (Date.now() < end) {
      const tried = attempt().catch((error: unknown) => {
        last = error;
        return undefined;
      });
      const value = await Promise.race([tried, failure.promise]);
      if (value !== undefined) return value;
      await pause(50);
    }
    throw new Error(`no ${what} within ${deadlineMilliseconds / 1000} s`, { cause: last });
  }

  async function stop(): Promise<void> {
    stopping = true;
    await reaper.reap();
  }

  return { start, until, stop };
}

function startReaper(directory: string) {
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.ts'), directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const reaped = new Promise<void>((resolve) => reaper.once('exit', () => resolve()));
  return {
    add: (pid: number): void => void reaper.stdin.write(`${pid}\n`),
    reap(): Promise<void> {
      reaper.stdin.end();
      return reaped;
    },
  };
}

function onceDead(child: ChildProcess, report: (how: string) => void): void {
  child.once('error', (error) => report(`cannot be started (${error.message})`));
  child.once('exit', (code, signal) => report(`ended with ${signal ?? `exit code ${code}`}`));
}

function tail(path: string): string {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
}
