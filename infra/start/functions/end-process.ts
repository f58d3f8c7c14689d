import type { ChildProcess } from 'node:child_process';

/** A process that has not exited after this time is killed, for example because it was suspended. */
const timeoutMs = 2_000;

/** Ends a process. `ended` must resolve once the process has exited. */
export async function endProcess(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const hung = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await ended;
  clearTimeout(hung);
}
