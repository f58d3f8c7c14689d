import { randomInt } from 'node:crypto';
import { dirname, relative } from 'node:path';
import { styleText } from 'node:util';
import type { LocalCluster } from '@serverless-reconciler/local-cluster';
import { startChaos } from '@serverless-reconciler/local-cluster/chaos';
import { fromContext } from '../../shared/cluster/credentials/credentials.ts';
import { ConfigError } from '../../shared/config/error.ts';
import type { Environment } from '../../shared/environment.ts';
import { label } from '../../shared/kinds/names.ts';
import { printable } from '../../shared/printable.ts';
import { commandName } from '../package-root.ts';
import { localKubeconfig } from '../project/config-file.ts';
import { type AuditRelay, startAuditRelay } from './audit-relay/relay.ts';
import { createFunctionPair, type FunctionPair } from './both-functions.ts';
import { type Clock, startClock } from './clock.ts';
import { type DashboardProcess, startDashboard } from './dashboard.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { requireFreePorts } from './free-ports.ts';
import { embeddedContext } from './kubeconfig.ts';
import { createNarrator } from './narrator.ts';
import { parseOptions, type StartOptions, usage } from './options.ts';
import { enterPressed, printPlan } from './plan-first.ts';
import {
  type Changes,
  environmentOf,
  type Loaded,
  loadProject,
  type Project,
  requireProject,
  shortName,
} from './project.ts';
import { reloadOnChange } from './reload.ts';
import { createRunLog } from './run-log.ts';
import { OptionError, StartError } from './start-error.ts';

const user = 'serverless-reconciler@local';

const narrator = createNarrator(
  (text) => process.stdout.write(text),
  () => new Date(),
  {
    isTerminal: process.stdout.isTTY === true,
    // None on anything but a terminal, nor with NO_COLOR.
    paint: (format, text) => styleText(format, text, { stream: process.stdout }),
  },
);
/** What is to be stopped, the last started first. */
const running: (() => Promise<void>)[] = [];

/**
 * Starts everything for a configuration and prints `ready`; runs until the process is signalled. Prints
 * the usage for `--help`; what prevents the start is printed, and the process exits with 1, or with 2
 * if the command line or the configuration is invalid, as the other commands do.
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
  narrator.say('start', `loading ${relative(process.cwd(), file)}`);
  const loaded = await load();
  const project = requireProject(loaded);
  const warnings = project.warnings.map((warning) => `warning: ${warning}`);
  for (const text of [...project.problems, ...warnings]) narrator.say('kinds', text);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void stop(0, goodbye(options)));
  stopWithParent();
  const started = await startParts(project, { options, file, kubeconfig, env });
  process.stdout.write('ready\n');
  for (const command of nextCommands(project, started)) narrator.say('try', command);
  if (started.embedded !== undefined && options.chaos !== false)
    beginChaos(started.embedded.cluster, project, options.chaos.seed);
  if (options.watch) watchProject({ project, loaded }, { load, ...started });
}

/** What to look at next. */
function nextCommands({ kinds }: Project, { options, kubeconfig }: Setting): readonly string[] {
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
    : `nothing is reconciled any more; the cluster of context ${context} keeps what it has`;

/** What everything that is started is started with. */
interface Setting {
  readonly options: StartOptions;
  /** The configuration. */
  readonly file: string;
  /** That of the embedded cluster. */
  readonly kubeconfig: string;
  /** The functions' environment, without what the project sets for it. */
  readonly env: Environment;
}

interface Started extends Setting {
  /** Unless the functions work on another cluster. */
  readonly embedded: Embedded | undefined;
  readonly dashboard: DashboardProcess | undefined;
  readonly functions: FunctionPair;
  readonly relay: AuditRelay | undefined;
  readonly clock: Clock;
}

async function startParts(project: Project, setting: Setting): Promise<Started> {
  const { options, file, kubeconfig, env } = setting;
  const { context, resyncPort, auditPort, apiPort, pagePort } = options;
  const own = context === undefined ? { '--api-port': apiPort, '--page-port': pagePort } : {};
  await requireFreePorts({ '--resync-port': resyncPort, '--audit-port': auditPort, ...own });
  let relay: AuditRelay | undefined;
  if (context !== undefined) await requireContext(context);
  const embedded =
    context === undefined
      ? await startEmbedded(project, {
          ...{ apiPort, user, kubeconfig },
          env: { ...env, INTERVAL: `${options.intervalSeconds}s` },
          onAudit: (events) => relay?.accept(events),
          say: narrator.say,
          onStarted: (end) => running.push(end),
        })
      : undefined;
  let dashboard: DashboardProcess | undefined;
  const runs = createRunLog(
    (run) => dashboard?.report(run),
    () => Date.now(),
  );
  const onLine = (who: string, line: string): void => {
    narrator.printLog(who, line);
    runs.accept(line);
  };
  const functions = await startFunctions(project, { file, env, onLine, ...options });
  if (embedded !== undefined) dashboard = openDashboard(project, setting);
  if (embedded !== undefined && options.audit) relay = await startRelay(project, options);
  const clock = startClock({
    url: new URL(`http://127.0.0.1:${resyncPort}/`),
    intervalSeconds: options.intervalSeconds,
    deadlineSeconds: 320,
    onTick: (next) => dashboard?.tickDue(next),
    log: (message, { error }) => narrator.say('clock', [message, error].filter(Boolean).join(': ')),
  });
  running.push(() => clock.stop());
  narrator.say('clock', `a tick every ${options.intervalSeconds} s`);
  return { ...setting, embedded, dashboard, functions, relay, clock };
}

function openDashboard(project: Project, { options, file, kubeconfig, env }: Setting) {
  const [, main = ''] = process.argv;
  const dashboard = startDashboard({
    ...{ main, config: file, kubeconfig, port: options.pagePort },
    env: environmentOf(project, env),
    onLine: (line) => narrator.say('page', line),
    // A file may have been saved with a mistake while it was starting again.
    onExit: () => narrator.say('page', 'the dashboard ended; it starts again at the next reload'),
  });
  running.push(dashboard.stop);
  return dashboard;
}

interface Watched extends Started {
  readonly load: () => Promise<Loaded>;
}

function watchProject(
  first: { readonly project: Project; readonly loaded: Loaded },
  { load, ...started }: Watched,
): void {
  const { file, env, embedded, dashboard, functions, relay, clock, options } = started;
  const say = (text: string): void => narrator.say('kinds', text);
  const watcher = reloadOnChange({
    first,
    directory: dirname(file),
    say,
    load,
    loadFunctions: (project) => functions.load(environmentOf(project, env)),
    async install({ manifests }) {
      if (embedded !== undefined) await embedded.apply(manifests);
      else if (manifests.length > 0)
        say(
          `not applied, as with --context only the functions are replaced: ${manifests.map(shortName).join(', ')}; see ${commandName} generate kustomization --help`,
        );
    },
    async adopt(project) {
      embedded?.adopt(project);
      void dashboard?.restart(environmentOf(project, env));
      relay?.select(project.audited);
      await clock.tickNow();
    },
    approve: async (project, changes, newer) =>
      !options.pause || (await approve(started, { project, changes, newer })),
    onFatal: ({ message }) => void fail(message),
  });
  running.push(async () => watcher.stop());
  const count = Object.keys(first.loaded.files).length;
  say(`${count} files are watched; the kinds are reloaded when one changes`);
}

/** Prints what a change would do, and waits for Enter; false if there is a newer change. */
async function approve(
  { options, file, kubeconfig, env, embedded }: Started,
  {
    project,
    changes,
    newer,
  }: { readonly project: Project; readonly changes: Changes; readonly newer: AbortSignal },
): Promise<boolean> {
  const say = (text: string): void => narrator.say('kinds', text);
  say(changes.text);
  if (embedded !== undefined && changes.manifests.length > 0)
    say(`to be applied first: ${changes.manifests.map(shortName).join(', ')}`);
  // The cluster does not serve new kinds yet.
  const served = project.audited.kinds
    .map(({ kind }) => kind)
    .filter((kind) => embedded === undefined || changes.kept.includes(kind));
  const [, main = ''] = process.argv;
  if (served.length > 0)
    await printPlan({
      ...{ main, config: file, context: options.context ?? 'local' },
      kubeconfig: embedded === undefined ? undefined : kubeconfig,
      env: { ...environmentOf(project, env), KINDS: served.join(',') },
    });
  if (newer.aborted) return false;
  say('press Enter to apply this; a further change replaces it');
  return enterPressed(process.stdin, newer);
}

/** Before a plan is printed, input is discarded: it is no answer. */
function readEnter(): void {
  if (process.stdin.isTTY !== true)
    throw new OptionError('--pause waits for Enter, and there is no terminal: leave it out');
  process.stdin.resume().once('end', () => void fail('--pause: the input has ended'));
}

function beginChaos(
  cluster: LocalCluster,
  { name }: Project,
  seed: number = randomInt(2 ** 32),
): void {
  const selector = `${label.managedBy}=${name}`;
  const log = (text: string): void => narrator.say('chaos', text);
  const chaos = startChaos({ cluster, seed, user, selector, log });
  running.push(chaos.stop);
  narrator.say('chaos', `--chaos ${seed} makes the same choices again`);
}

/** A context of the user's kubeconfig; a missing one is reported at once. */
async function requireContext(context: string): Promise<void> {
  await fromContext(context).catch(({ message }: Error) => {
    throw new OptionError(`--context: ${message.replace(/^CLUSTER_CONTEXT: /, '')}`);
  });
}

async function startFunctions(
  project: Project,
  {
    file,
    env,
    resyncPort,
    auditPort,
    onLine,
  }: Pick<Setting, 'file' | 'env'> &
    Pick<StartOptions, 'resyncPort' | 'auditPort'> & {
      readonly onLine: (who: string, line: string) => void;
    },
): Promise<FunctionPair> {
  const functions = createFunctionPair({
    ...{ config: file, resyncPort, auditPort },
    onLine,
    onExit: (target) => void fail(`the ${target} function exited unexpectedly`),
  });
  running.push(functions.stop);
  await (await functions.load(environmentOf(project, env))).serve();
  narrator.say('tick', `resync function http://127.0.0.1:${resyncPort}/`);
  narrator.say('audit', `audit function http://127.0.0.1:${auditPort}/`);
  return functions;
}

/** With the sink that an installation of the same configuration has. */
async function startRelay({ audited }: Project, { auditPort }: StartOptions): Promise<AuditRelay> {
  const relay = await startAuditRelay({
    push: new URL(`http://127.0.0.1:${auditPort}/`),
    ...audited,
    delivery: { concurrency: 64 },
    log: (message, { why }) => narrator.say('relay', [message, why].filter(Boolean).join(': ')),
  });
  running.push(() => relay.stop());
  return relay;
}

/** npm may be killed without its child being signalled; an orphan would keep the ports. */
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
  if (last !== undefined) narrator.say('stopped', last);
  process.exit(code);
}

async function fail(message: string, code = 1): Promise<void> {
  if (stopping) return;
  process.stderr.write(`${printable(message)}\n`);
  await stop(code);
}
