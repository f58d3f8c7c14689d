import { rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Reads process ids from standard input. When that closes, because its writer closed it or died, kills these
 * processes and removes the directory in the argument.
 */
const [directory] = process.argv.slice(2);
const pids = (await text(process.stdin)).split('\n').filter((line) => line !== '');
for (const pid of pids) kill(Number(pid), 'SIGKILL');
// Bounded, because an orphan stays in the process table forever if no init process collects it.
for (let turn = 0; turn < 200 && pids.some((pid) => kill(Number(pid), 0)); turn++) {
  await pause(5);
}
if (directory !== undefined) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
