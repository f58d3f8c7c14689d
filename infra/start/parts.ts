import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { fromContext } from '../../shared/cluster/credentials/credentials.ts';
import type { Environment } from '../../shared/environment.ts';
import { type AuditRelay, startAuditRelay } from './audit-relay/relay.ts';
import { type Clock, startClock } from './clock.ts';
import { type DashboardProcess, startDashboardProcess } from './dashboard.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { requireFreePorts } from './free-ports.ts';
import { createFunctionPair, type FunctionPair } from './functions/function-pair.ts';
import type { Host } from './host.ts';
import { createRunLog, type RunLog } from './log/run-log.ts';
import type { StartOptions } from './options.ts';
import { OptionError } from './options.ts';
import { environmentOf, type LoadedProject } from './reload/project.ts';

/** The functions' user on the embedded cluster. */
export const user = 'serverless-reconciler@local';

export interface StartSetting {
  readonly host: Host;
  readonly options: StartOptions;
  readonly file: string;
  /** Path of the embedded cluster's kubeconfig. */
  readonly kubeconfig: string;
  /** The functions' environment, without the variables that the project adds. */
  readonly env: Environment;
}

export interface Started extends StartSetting {
  /** Undefined with --context. */
  readonly embedded: Embedded | undefined;
  readonly dashboard: DashboardProcess | undefined;
  readonly functions: FunctionPair;
  readonly relay: AuditRelay | undefined;
  readonly clock: Clock;
}

export async function startParts(project: LoadedProject, setting: StartSetting): Promise<Started> {
  const { host, options, kubeconfig, env } = setting;
  const { context, resyncPort, auditPort, apiPort, pagePort } = options;
  const own = context === undefined ? { '--api-port': apiPort, '--page-port': pagePort } : {};
  await requireFreePorts({ '--resync-port': resyncPort, '--audit-port': auditPort, ...own });
  let relay: AuditRelay | undefined;
  if (context !== undefined) await requireContext(context);
  const embedded =
    context === undefined
      ? await startEmbedded(project, {
          apiPort,
          user,
          kubeconfig,
          env: { ...env, INTERVAL: `${options.intervalSeconds}s` },
          onAudit: (events) => relay?.accept(events),
          host,
        })
      : undefined;
  let dashboard: DashboardProcess | undefined;
  const runs = createRunLog(
    (run) => dashboard?.report(run),
    () => Date.now(),
  );
  const functions = await startFunctions(project, setting, runs);
  if (embedded !== undefined) dashboard = openDashboard(project, setting);
  if (embedded !== undefined && options.audit) relay = await startRelay(project, setting);
  const clock = startClock({
    url: new URL(`http://127.0.0.1:${resyncPort}/`),
    intervalSeconds: options.intervalSeconds,
    deadlineSeconds: 320,
    onResync: (next) => dashboard?.resyncDue(next),
    log: (message, { error }) => host.say('clock', [message, error].filter(Boolean).join(': ')),
  });
  host.onStop(() => clock.stop());
  host.say('clock', `a resync every ${options.intervalSeconds} s`);
  return { ...setting, embedded, dashboard, functions, relay, clock };
}

async function startFunctions(
  project: LoadedProject,
  { host, options: { resyncPort, auditPort }, file, env }: StartSetting,
  runs: RunLog,
): Promise<FunctionPair> {
  const functions = createFunctionPair({
    config: file,
    resyncPort,
    auditPort,
    onLine(who, line) {
      host.printLog(who, line);
      runs.accept(line);
    },
    onExit: (target) =>
      host.fail(`the ${target} function exited unexpectedly: see its output above`),
  });
  host.onStop(functions.stop);
  await (await functions.load(environmentOf(project, env))).serve();
  host.say('resync', `resync function http://127.0.0.1:${resyncPort}/`);
  host.say('audit', `audit function http://127.0.0.1:${auditPort}/`);
  return functions;
}

function openDashboard(
  project: LoadedProject,
  { host, options, file, kubeconfig, env }: StartSetting,
): DashboardProcess {
  const [, main = ''] = process.argv;
  const dashboard = startDashboardProcess({
    main,
    config: file,
    kubeconfig,
    port: options.pagePort,
    env: environmentOf(project, env),
    onLine: (line) => host.say('page', line),
    // Only reports the exit: a mistake in a kind's file ends a restarted dashboard, but must not end the functions.
    onExit: () =>
      host.say(
        'page',
        'the dashboard has stopped; it starts again when the kinds are next reloaded',
      ),
  });
  host.onStop(dashboard.stop);
  return dashboard;
}

/** Throws an OptionError if the user's kubeconfig has no such context. */
async function requireContext(context: string): Promise<void> {
  await fromContext(context).catch(({ cause }: Error) => {
    throw new OptionError(`--context: ${messageOf(cause)}`);
  });
}

/** Uses the same log sink as a deployment of this configuration. */
async function startRelay(
  { audited }: LoadedProject,
  { host, options: { auditPort } }: StartSetting,
): Promise<AuditRelay> {
  const relay = await startAuditRelay({
    push: new URL(`http://127.0.0.1:${auditPort}/`),
    ...audited,
    delivery: { concurrency: 64 },
    log: (message, { why }) => host.say('relay', [message, why].filter(Boolean).join(': ')),
  });
  host.onStop(() => relay.stop());
  return relay;
}
