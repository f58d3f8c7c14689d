import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Target } from '../../client.ts';
import { startControlPlane } from '../../control-plane/start.ts';

export interface Consumption {
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

/** A server in its own processes. */
export interface MeasuredServer extends Target {
  /**
   * The CPU time and memory of its processes since they started.
   *
   * Caveats: Linux only.
   */
  readonly consumed: () => Promise<Consumption>;
  readonly stop: () => Promise<unknown>;
}

export async function startLocal(): Promise<MeasuredServer> {
  const child = fork(join(import.meta.dirname, '../../process.ts'));
  const [url] = (await once(child, 'message')) as [string];
  const stop = () => {
    child.kill('SIGTERM');
    return once(child, 'exit');
  };
  return { url, consumed: () => consumedBy([String(child.pid)]), stop };
}

export async function startReal(): Promise<MeasuredServer> {
  const { url, ca, tokens, stop } = await startControlPlane({ controllers: false });
  const pids = await startedByThis(['etcd', 'kube-apiserver']);
  return { url, ca, token: tokens.admin, consumed: () => consumedBy(pids), stop };
}

// The value of `getconf CLK_TCK` on every Linux that Node supports.
const ticksPerSecond = 100;

async function consumedBy(pids: readonly string[]): Promise<Consumption> {
  let [ticks, kibibytes] = [0, 0];
  for (const pid of pids) {
    const { fields } = await statusOf(pid);
    ticks += Number(fields[11]) + Number(fields[12]);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    kibibytes += Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]);
  }
  return { cpuSeconds: ticks / ticksPerSecond, peakMiB: kibibytes / 1024 };
}

async function startedByThis(programs: readonly string[]): Promise<readonly string[]> {
  const started: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const status = await statusOf(pid).catch(() => undefined);
    if (status === undefined || status.fields[1] !== String(process.pid)) continue;
    if (programs.some((program) => program.slice(0, 15) === status.program)) started.push(pid);
  }
  return started;
}

/** Matches a line of `/proc/PID/stat`: the program's name and the fields after it. */
async function statusOf(pid: string) {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  const end = line.lastIndexOf(')');
  const program = line.slice(line.indexOf('(') + 1, end);
  return { program, fields: line.slice(end + 2).split(' ') };
}
