import type { ChildProcess } from 'node:child_process';

/** The maximum time for a process to exit. A process that takes longer, such as a suspended one, is killed. */
const timeoutMs = 2_000;

/** `ended` must resolve once the process has exited. */
export async function endProcess(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const hung = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await ended;
  clearTimeout(hung);
}
