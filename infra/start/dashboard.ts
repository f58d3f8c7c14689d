import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../shared/environment.ts';
import type { RunMessage, RunView } from '../dashboard/views.ts';

export interface DashboardOptions {
  /** The module of the command `reconciler`. */
  readonly main: string;
  readonly config: string;
  readonly kubeconfig: string;
  readonly port: number;
  readonly env: Environment;
  /** Each line that it prints, its address once it serves. */
  readonly onLine: (line: string) => void;
  /** It ended by itself. */
  readonly onExit: () => void;
}

/** The command `dashboard` in a process of its own, which loads the kinds anew. */
export interface DashboardProcess {
  readonly report: (run: RunView) => void;
  readonly tickDue: (at: number) => void;
  /** With the present kinds; pages connect again by themselves. Restarts follow one another. */
  readonly restart: (env: Environment) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** What a new process is sent of earlier runs. */
const kept = 200;

export function startDashboard(options: DashboardOptions): DashboardProcess {
  let runs: readonly RunView[] = [];
  let nextTick: number | undefined;
  let current = open(options);
  let isStopped = false;
  let restarted = Promise.resolve();
  const send = (some: readonly RunView[]): void => {
    const message: RunMessage = { runs: some, ...(nextTick === undefined ? {} : { nextTick }) };
    current.child.send(message, () => undefined);
  };
  async function replace(env: Environment): Promise<void> {
    await current.stop();
    if (isStopped) return;
    current = open({ ...options, env });
    send(runs);
  }
  return {
    report(run) {
      runs = [run, ...runs].slice(0, kept);
      send([run]);
    },
    tickDue(at) {
      nextTick = at;
      send([]);
    },
    restart(env) {
      restarted = restarted.then(() => replace(env));
      return restarted;
    },
    async stop() {
      isStopped = true;
      await restarted;
      await current.stop();
    },
  };
}

/** Compiled code, as for the functions: most of a start is loading modules. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/functions', import.meta.url));

function open({ main, config, kubeconfig, port, env, onLine, onExit }: DashboardOptions) {
  const cluster = ['--context', 'local', '--kubeconfig', kubeconfig];
  const child = fork(main, ['--config', config, 'dashboard', ...cluster, '--port', String(port)], {
    env: { NODE_COMPILE_CACHE: cache, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface(stream).on('line', onLine);
  const ended = once(child, 'exit');
  let isStopping = false;
  child.once('exit', () => {
    if (!isStopping) onExit();
  });
  return {
    child,
    async stop() {
      isStopping = true;
      await end(child, ended);
    },
  };
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const hung = setTimeout(() => child.kill('SIGKILL'), 2_000);
  await ended;
  clearTimeout(hung);
}
