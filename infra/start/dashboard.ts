import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Environment } from '../../shared/environment.ts';
import { present } from '../../shared/json.ts';
import type { RunMessage, RunView } from '../dashboard/views.ts';
import { compileCache } from '../package-root.ts';
import { endProcess } from './functions/end-process.ts';

interface DashboardProcessOptions {
  /** The main module of the `reconciler` command. */
  readonly main: string;
  readonly config: string;
  readonly kubeconfig: string;
  readonly port: number;
  readonly env: Environment;
  /** Receives each line that the process prints; one is the address of the page. */
  readonly onLine: (line: string) => void;
  /** Called when the process ends by itself. */
  readonly onExit: () => void;
}

/** The `dashboard` command in a separate process, because only a restart loads changed kinds. */
export interface DashboardProcess {
  readonly report: (run: RunView) => void;
  readonly resyncDue: (at: number) => void;
  /** Pages reconnect by themselves, and restarts never overlap. */
  readonly restart: (env: Environment) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The maximum number of earlier runs that are sent to a restarted process. */
const kept = 200;

export function startDashboardProcess(options: DashboardProcessOptions): DashboardProcess {
  let runs: readonly RunView[] = [];
  let nextResync: number | undefined;
  let current = open(options);
  let isStopped = false;
  let restarted = Promise.resolve();
  const send = (some: readonly RunView[]): void => {
    const message: RunMessage = { runs: some, ...present({ nextResync }) };
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
    resyncDue(at) {
      nextResync = at;
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

function open({ main, config, kubeconfig, port, env, onLine, onExit }: DashboardProcessOptions) {
  const cluster = ['--context', 'local', '--kubeconfig', kubeconfig];
  const child = fork(main, ['--config', config, 'dashboard', ...cluster, '--port', String(port)], {
    env: { NODE_COMPILE_CACHE: compileCache, ...env },
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
      await endProcess(child, ended);
    },
  };
}
