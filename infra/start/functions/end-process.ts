import type { ChildProcess } from 'node:child_process';

/** The time after which a process that has not exited, for example a suspended one, is killed. */
const timeoutMs = 2_000;

/** Ends a process; `ended` must resolve once it has exited. */
export async function endProcess(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const hung = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await ended;
  clearTimeout(hung);
}
