import { randomInt } from 'node:crypto';
import { dirname, relative } from 'node:path';
import { styleText } from 'node:util';
import type { LocalCluster } from '@serverless-reconciler/local-cluster';
import { startChaos } from '@serverless-reconciler/local-cluster/chaos';
import { ConfigError } from '../../shared/environment.ts';
import { label } from '../../shared/kinds/names.ts';
import { printable } from '../../shared/printable.ts';
import { commandName } from '../package-root.ts';
import { localKubeconfig } from '../project/config-file.ts';
import { StartError } from './functions/start-error.ts';
import type { Host } from './host.ts';
import { createNarrator } from './log/narrator.ts';
import { OptionError, parseOptions, type StartOptions, usage } from './options.ts';
import { type StartSetting, startParts, user } from './parts.ts';
import {
  embeddedContext,
  type Loaded,
  type LoadedProject,
  loadProject,
  requireProject,
} from './reload/project.ts';
import { watchProject } from './watch-project.ts';

/** Functions that stop the started parts, in the order in which the parts were started. */
const running: (() => Promise<void>)[] = [];

const host: Host = {
  ...createNarrator(
    (text) => process.stdout.write(text),
    () => new Date(),
    {
      isTerminal: process.stdout.isTTY === true && process.env.TERM !== 'dumb',
      // `styleText` colours only on a terminal, and not with NO_COLOR.
      paint: (format, text) => styleText(format, text, { stream: process.stdout }),
    },
  ),
  onStop: (end) => running.push(end),
  fail: (message) => void fail(message),
};

/**
 * Starts everything for a configuration, prints `ready` and runs until a signal. With `--help`, only prints the usage.
 * If something cannot start, prints an error and exits with 1; for an invalid command line or configuration, with 2.
 */
export const start = (args: readonly string[], config: () => string): Promise<void> =>
  run(args, config).catch((error: unknown) =>
    fail(
      error instanceof StartError || error instanceof ConfigError
        ? error.message
        : String((error as Error).stack),
      error instanceof OptionError || error instanceof ConfigError ? 2 : 1,
    ),
  );

async function run(args: readonly string[], config: () => string): Promise<void> {
  const options = parseOptions(args);
  if (options.help) {
    process.stdout.write(usage);
    return;
  }
  if (options.pause) readEnter();
  const file = config();
  const kubeconfig = localKubeconfig(dirname(file));
  const env = {
    ...process.env,
    ...(options.context === undefined
      ? { CLUSTER_CONTEXT: embeddedContext, KUBECONFIG: kubeconfig, OWN_IDENTITY: user }
      : { CLUSTER_CONTEXT: options.context }),
  };
  const samples = options.samples && options.context === undefined;
  const load = (): Promise<Loaded> => loadProject({ config: file, user, samples }, env);
  host.say('start', `loading ${relative(process.cwd(), file)}`);
  const loaded = await load();
  const project = requireProject(loaded);
  const warnings = project.warnings.map((warning) => `warning: ${warning}`);
  for (const text of [...project.problems, ...warnings]) host.say('kinds', text);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void stop(0, goodbye(options)));
  stopWithParent();
  const started = await startParts(project, { host, options, file, kubeconfig, env });
  process.stdout.write('ready\n');
  for (const command of nextCommands(project, started)) host.say('try', command);
  if (started.embedded !== undefined && options.chaos !== false)
    beginChaos(started.embedded.cluster, project, options.chaos.seed);
  if (options.watch) watchProject({ project, loaded }, load, started);
}

function nextCommands(
  { kinds }: LoadedProject,
  { options, kubeconfig }: StartSetting,
): readonly string[] {
  const { context } = options;
  const chosen =
    context === undefined
      ? `--kubeconfig ${relative(process.cwd(), kubeconfig)}`
      : `--context ${context}`;
  const own = context === undefined ? '' : ` ${chosen}`;
  return [
    `kubectl ${chosen} get ${kinds.map(({ plural }) => plural).join(',')}`,
    `${commandName} status${own}`,
    `${commandName} plan${own}`,
  ];
}

const goodbye = ({ context }: StartOptions): string =>
  context === undefined
    ? 'the embedded cluster is gone, with everything in it'
    : `nothing is reconciled any more; all objects stay on the cluster of context ${context}`;

/** Discards input, so that pressing Enter before a plan is printed does not approve the plan. */
function readEnter(): void {
  if (process.stdin.isTTY !== true)
    throw new OptionError('--pause waits for Enter, but there is no terminal: omit --pause');
  process.stdin.resume().once('end', () => {
    void fail(
      '--pause waits for Enter, but standard input has closed: start again in a terminal, or omit --pause',
    );
  });
}

function beginChaos(
  cluster: LocalCluster,
  { name }: LoadedProject,
  seed: number = randomInt(2 ** 32),
): void {
  const selector = `${label.managedBy}=${name}`;
  const log = (text: string): void => host.say('chaos', text);
  const chaos = startChaos({ cluster, seed, user, selector, log });
  host.onStop(chaos.stop);
  host.say('chaos', `--chaos ${seed} makes the same choices again`);
}

/** Stops this process if its parent npm was killed, because it would otherwise run on and keep the ports. */
function stopWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void stop(0);
  }, 500).unref();
}

let stopping = false;

async function stop(code: number, last?: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  for (const end of running.toReversed()) await end();
  if (last !== undefined) host.say('stopped', last);
  process.exit(code);
}

async function fail(message: string, code = 1): Promise<void> {
  if (stopping) return;
  process.stderr.write(`${printable(message)}\n`);
  await stop(code);
}
