import type { Credentials } from '../../../shared/cluster/credentials/credentials.ts';
import { connect } from '../../../shared/cluster/http/connection.ts';
import { clustersOf } from '../../../shared/config/cluster-config.ts';
import { type Config, parseConfig } from '../../../shared/config/config.ts';
import type { ReconcilerConfig } from '../../../shared/config/define-config.ts';
import { variables } from '../../../shared/config/variables.ts';
import { createReconciler, credentialsOf } from '../../../shared/controller/reconciler.ts';
import type { Environment } from '../../../shared/environment.ts';
import { createLog, type Log, type Severity } from '../../../shared/log.ts';
import type { Run } from '../../../shared/run/run.ts';
import { dryRunOver } from '../../actions/dry-run-connection.ts';
import { readLogLine } from '../../log-line.ts';
import { printLines, type Stream } from '../output/print.ts';
import { type ChosenContext, chooseContext, type KubeOptions } from './choose-context.ts';
import { UsageError } from './command-errors.ts';
import type { Terminal } from './terminal.ts';

export interface Session {
  readonly terminal: Terminal;
  readonly reconciler: ReconcilerConfig;
  readonly config: Config;
  /** The source of `config`: the settings of the context, overridden by variables of the process. */
  readonly environment: Environment;
  readonly namespace: string;
  readonly credentials: Credentials;
  /** Undefined if CLUSTER_ENDPOINT selects the cluster. */
  readonly context: ChosenContext | undefined;
  readonly begin: () => Promise<Run>;
  /** Begins a run that logs nothing and sends its writes as dry runs. */
  readonly beginDryRun: () => Promise<Run>;
  readonly close: () => Promise<void>;
}

interface SessionOptions extends KubeOptions {
  /** Called before the first run. If it throws, the run does not begin, and the next run calls it again. */
  readonly prepare: (session: Session) => Promise<void>;
}

/** Finds the cluster and the credentials for a command; does not connect yet. */
export async function openSession(
  terminal: Terminal,
  reconciler: ReconcilerConfig,
  { prepare, ...options }: SessionOptions,
): Promise<Session> {
  const { env } = terminal;
  const isElsewhere = options.context === undefined && options.kubeconfig === undefined;
  const { environment, context } =
    isElsewhere && (env.CLUSTER_ENDPOINT ?? '').trim() !== ''
      ? { environment: env, context: undefined }
      : await onContext(terminal, reconciler, options);
  const config = parseConfig(reconciler, environment);
  const [cluster] = config.clusters;
  if (cluster === undefined)
    throw new UsageError('no cluster is configured: choose one with --context NAME');
  const credentials = await credentialsOf({ ...config, cluster }, context?.files);
  const log = humanLog(terminal.err, levelOf(env, config));
  const given = { credentials: async () => credentials, now: terminal.now };
  const runs = createReconciler({ ...config, cluster }, log, given);
  const silent = createLog(() => undefined, 'ERROR');
  const dryRuns = createReconciler({ ...config, cluster }, silent, {
    ...given,
    connect: (...args) => dryRunOver(connect(...args)),
  });
  let prepared: Promise<void> | undefined;
  const session: Session = {
    terminal,
    reconciler,
    config,
    environment,
    namespace: context?.namespace ?? 'default',
    credentials,
    context,
    async begin() {
      prepared ??= prepare(session).catch((error: unknown) => {
        prepared = undefined;
        throw error;
      });
      await prepared;
      return runs.begin('resync');
    },
    beginDryRun: () => dryRuns.begin('resync'),
    async close() {
      await runs.close();
      await dryRuns.close();
    },
  };
  return session;
}

/** `https://10.0.0.1, context prod` */
export const describeCluster = ({ context, credentials: { server } }: Session): string =>
  context === undefined ? `${server}, from CLUSTER_ENDPOINT` : `${server}, context ${context.name}`;

async function onContext(terminal: Terminal, reconciler: ReconcilerConfig, options: KubeOptions) {
  const context = chooseContext(terminal, options);
  // Parses CLUSTERS only to report mistakes, because a command uses the one cluster that the context names.
  const clusters = terminal.env.CLUSTERS?.trim() ?? '';
  if (clusters !== '') clustersOf((name) => (name === 'CLUSTERS' ? clusters : ''));
  const known = new Set<string>([...variables, ...reconciler.settings]);
  const applied = Object.entries(context.settings).filter(
    ([name]) => known.has(name) && !name.startsWith('CLUSTER_'),
  );
  const environment: Environment = {
    ...Object.fromEntries(applied),
    ...terminal.env,
    CLUSTER_CONTEXT: context.name,
    CLUSTER_ENDPOINT: '',
    CLUSTER_CA: '',
    CLUSTERS: '',
  };
  return { environment, context };
}

/** Returns WARNING unless LOG_LEVEL is set, so that only problems are logged. */
const levelOf = ({ LOG_LEVEL = '' }: Environment, { logLevel }: Config): Severity =>
  LOG_LEVEL.trim() === '' ? 'WARNING' : logLevel;

/** `warning: child failed, key=…` */
const humanLog = (stream: Stream, level: Severity): Log =>
  createLog((line) => {
    const { severity, message, ...fields } = readLogLine(line) ?? {};
    const details = Object.entries(fields).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    printLines(stream, [[`${String(severity).toLowerCase()}: ${message}`, ...details].join(', ')]);
  }, level);
