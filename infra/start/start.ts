import { randomBytes, randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { startChaos } from '@serverless-reconciler/local-cluster/chaos';
import { fromContext } from '../../shared/cluster/credentials.ts';
import { parseConfig } from '../../shared/config/config.ts';
import { defaultKinds, type ReconcilerConfig } from '../../shared/config/define-config.ts';
import { ConfigError } from '../../shared/config/error.ts';
import type { Kind } from '../../shared/kinds/define-kind.ts';
import { fieldManager, label } from '../../shared/kinds/names.ts';
import { printable } from '../../shared/printable.ts';
import { loadConfig, localKubeconfig } from '../project/config-file.ts';
import { type AuditRelay, startAuditRelay } from './audit-relay/relay.ts';
import { startClock } from './clock.ts';
import { requireFreePorts } from './free-ports.ts';
import { startFunction } from './functions.ts';
import { applyTo, install } from './install.ts';
import { kubeconfigOf, sharedVariables, writeKubeconfig } from './kubeconfig.ts';
import { createNarrator } from './narrator.ts';
import { parseOptions, type StartOptions, usage } from './options.ts';
import { startPage } from './page/page.ts';
import { StartError } from './start-error.ts';

const user = 'serverless-reconciler@local';

const narrator = createNarrator(
  (text) => process.stdout.write(text),
  () => new Date(),
);
const environmentOf = ({ localEnvironment }: ReconcilerConfig) => ({
  ...localEnvironment,
  // Entries come from the relay here; another cluster than the embedded one has no relay.
  ATTRIBUTE_REPAIRS: 'true',
  ...process.env,
});

/** What is to be stopped, the last started first. */
const running: (() => Promise<void>)[] = [];

/** What is started: where its configuration is, and what that exports. */
interface Project {
  readonly file: string;
  readonly reconciler: ReconcilerConfig;
}

/**
 * Starts everything for a configuration and prints `ready`; runs until the process is signalled. Prints
 * the usage for `--help`; what prevents the start is printed, and the process exits with 1.
 */
export const start = (args: readonly string[], config: () => string): Promise<void> =>
  run(args, config).catch((error: unknown) =>
    fail(
      error instanceof StartError || error instanceof ConfigError
        ? error.message
        : String((error as Error).stack),
    ),
  );

async function run(args: readonly string[], config: () => string): Promise<void> {
  const options = parseOptions(args);
  if (options.help) {
    process.stdout.write(usage);
    return;
  }
  const file = config();
  const project = { file, reconciler: await loadConfig(file) };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));
  stopWithParent();
  const { resyncPort, auditPort, apiPort, pagePort } = options;
  const own =
    options.context === undefined ? { '--api-port': apiPort, '--page-port': pagePort } : {};
  await requireFreePorts({ '--resync-port': resyncPort, '--audit-port': auditPort, ...own });
  let relay: AuditRelay | undefined;
  const { env, cluster } =
    options.context === undefined
      ? await startCluster(project, options, (events) => relay?.accept(events))
      : { env: await useContext(options.context), cluster: undefined };
  await startFunctions(project, options, env);
  if (options.context === undefined && options.audit)
    relay = await startRelay(project, options, env);
  const clock = startClock({
    url: new URL(`http://127.0.0.1:${options.resyncPort}/`),
    intervalSeconds: options.intervalSeconds,
    deadlineSeconds: 320,
    log: (message, { error }) => narrator.say('clock', [message, error].filter(Boolean).join(': ')),
  });
  running.push(() => clock.stop());
  narrator.say('clock', `a tick every ${options.intervalSeconds} s`);
  process.stdout.write('ready\n');
  if (cluster !== undefined && options.chaos !== false) beginChaos(cluster, options.chaos.seed);
}

function beginChaos(cluster: LocalCluster, seed: number = randomInt(2 ** 32)): void {
  const selector = `${label.managedBy}=${fieldManager}`;
  const log = (text: string): void => narrator.say('chaos', text);
  const chaos = startChaos({ cluster, seed, user, selector, log });
  running.push(chaos.stop);
  narrator.say('chaos', `--chaos ${seed} makes the same choices again`);
}

/** A context of the user's kubeconfig; a missing one is reported at once. */
async function useContext(context: string) {
  await fromContext(context).catch(({ message }: Error) => {
    throw new StartError(`--context: ${message}`);
  });
  return { CLUSTER_CONTEXT: context };
}

/** The embedded cluster with everything installed, and how the functions connect to it. */
async function startCluster(
  { file, reconciler }: Project,
  options: StartOptions,
  onAudit: (events: readonly unknown[]) => void,
) {
  const { apiPort, samples } = options;
  const kinds = defaultKinds(reconciler);
  const kubeconfig = localKubeconfig(dirname(file));
  const token = randomBytes(24).toString('base64url');
  const cluster = await startLocalCluster({
    port: apiPort,
    tokens: { [token]: { username: user } },
    onAudit: (event) => onAudit([event]),
  });
  running.push(() => cluster.stop());
  await install(applyTo(cluster.url), { kinds, user, samples });
  const env = { CLUSTER_CONTEXT: 'reconciler', KUBECONFIG: kubeconfig, OWN_IDENTITY: user };
  const settings = {
    ...environmentOf(reconciler),
    ...env,
    INTERVAL: `${options.intervalSeconds}s`,
  };
  const names = [...sharedVariables, ...reconciler.settings];
  writeKubeconfig(kubeconfig, kubeconfigOf({ server: cluster.url, token, settings, names }));
  narrator.say('cluster', `API server ${cluster.url}, kubectl --kubeconfig .local/kubeconfig`);
  await showPage(options, { api: cluster.url, kinds });
  return { env, cluster };
}

async function showPage(
  { pagePort }: StartOptions,
  shown: { readonly api: string; readonly kinds: readonly Kind[] },
): Promise<void> {
  const page = await startPage({ port: pagePort, ...shown, lines: narrator.lines });
  running.push(page.stop);
  narrator.say('page', `http://127.0.0.1:${pagePort}/`);
}

async function startFunctions(
  { file, reconciler }: Project,
  { resyncPort, auditPort }: StartOptions,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const functions = [
    { target: 'resync', port: resyncPort, who: 'tick' },
    { target: 'audit', port: auditPort, who: 'audit' },
  ] as const;
  await Promise.all(
    functions.map(async ({ target, port, who }) => {
      const started = await startFunction({
        target,
        port,
        source: { config: file },
        env: { ...environmentOf(reconciler), ...env },
        onLine: (line) => narrator.printLog(who, line),
        onExit: () => void fail(`the ${target} function exited unexpectedly`),
      });
      running.push(started.stop);
      narrator.say(who, `${target} function http://127.0.0.1:${port}/`);
    }),
  );
}

/** With the sink that an installation of the same configuration has. */
async function startRelay(
  { reconciler }: Project,
  { auditPort }: StartOptions,
  env: Readonly<Record<string, string>>,
): Promise<AuditRelay> {
  const { kinds, namespaces, ownIdentity } = parseConfig(reconciler, { ...process.env, ...env });
  const relay = await startAuditRelay({
    push: new URL(`http://127.0.0.1:${auditPort}/`),
    kinds,
    namespaces,
    ownIdentity,
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

async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  for (const end of running.toReversed()) await end();
  process.exit(code);
}

async function fail(message: string): Promise<void> {
  if (stopping) return;
  process.stderr.write(`${printable(message)}\n`);
  await stop(1);
}
