import type { Credentials } from '../../shared/cluster/credentials/credentials.ts';
import { dryRunOver } from '../../shared/cluster/dry-run.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import { clustersOf } from '../../shared/config/clusters.ts';
import { type Config, parseConfig } from '../../shared/config/config.ts';
import type { ReconcilerConfig } from '../../shared/config/define-config.ts';
import { variables } from '../../shared/config/variables.ts';
import { createReconciler, credentialsOf } from '../../shared/controller/reconciler.ts';
import type { Environment } from '../../shared/environment.ts';
import { createLog, type Log, type Severity } from '../../shared/log.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import { UsageError } from './errors.ts';
import { type ChosenContext, chooseContext, type KubeOptions } from './kubeconfig.ts';
import { printLines } from './print.ts';
import type { Stream, Terminal } from './terminal.ts';

/** What a command works with: a configuration, a default namespace, and runs. */
export interface Operator {
  readonly reconciler: ReconcilerConfig;
  readonly config: Config;
  /** From which the configuration was read: the process's, and the settings of the context. */
  readonly environment: Environment;
  readonly namespace: string;
  readonly credentials: Credentials;
  /** Undefined if the cluster is given by CLUSTER_ENDPOINT. */
  readonly context: ChosenContext | undefined;
  readonly begin: () => Promise<Run>;
  /** A run whose writes the server checks and does not store, and which logs nothing. */
  readonly beginDryRun: () => Promise<Run>;
  readonly close: () => Promise<void>;
}

interface OperatorOptions extends KubeOptions {
  /** Called before the first run, and again after it has thrown; if it throws, there is no run. */
  readonly beforeRuns: (operator: Operator) => Promise<void>;
}

/** Connects to nothing yet, but resolves the cluster and the user. */
export async function openOperator(
  terminal: Terminal,
  reconciler: ReconcilerConfig,
  { beforeRuns, ...options }: OperatorOptions,
): Promise<Operator> {
  const { env } = terminal;
  const isElsewhere = options.context === undefined && options.kubeconfig === undefined;
  const target =
    isElsewhere && (env.CLUSTER_ENDPOINT ?? '').trim() !== ''
      ? { environment: env, context: undefined }
      : await onContext(terminal, reconciler, options);
  const { environment, context } = target;
  const config = parseConfig(reconciler, environment);
  const [cluster] = config.clusters;
  if (cluster === undefined) throw new UsageError('no cluster is configured');
  const credentials = await credentialsOf(cluster, context?.files);
  const log = humanLog(terminal.err, levelOf(env, config));
  const given = { credentials: async () => credentials, now: terminal.now };
  const runs = createReconciler({ ...config, cluster }, log, given);
  const dryRuns = createReconciler(
    { ...config, cluster },
    createLog(() => undefined, 'ERROR'),
    {
      ...given,
      connect: (found) => dryRunOver(connect(found)),
    },
  );
  let prepared: Promise<void> | undefined;
  const operator: Operator = {
    reconciler,
    config,
    environment,
    namespace: context?.namespace ?? 'default',
    credentials,
    context,
    async begin() {
      prepared ??= beforeRuns(operator);
      try {
        await prepared;
      } catch (error) {
        prepared = undefined;
        throw error;
      }
      return runs.begin('tick');
    },
    beginDryRun: () => dryRuns.begin('tick'),
    async close() {
      await runs.close();
      await dryRuns.close();
    },
  };
  return operator;
}

/** `https://10.0.0.1, context prod` */
export const placeOf = ({ context, credentials: { server } }: Operator): string =>
  context === undefined ? `${server}, from CLUSTER_ENDPOINT` : `${server}, context ${context.name}`;

/** One run of a process that goes on, which must release what the run holds. */
export async function during<T>({ begin }: Operator, act: (run: Run) => Promise<T>): Promise<T> {
  const run = await begin();
  try {
    return await act(run);
  } finally {
    run.memoryBudget.close();
  }
}

/** The settings in the context apply unless the environment has its own. */
async function onContext(terminal: Terminal, reconciler: ReconcilerConfig, options: KubeOptions) {
  const context = await chooseContext(terminal, options);
  // It is for the functions; a mistake in it is one of theirs, too.
  const clusters = terminal.env.CLUSTERS?.trim() ?? '';
  if (clusters !== '') clustersOf((name) => (name === 'CLUSTERS' ? clusters : ''));
  const { name, settings } = context;
  const known = new Set<string>([...variables, ...reconciler.settings]);
  const applied = Object.entries(settings).filter(
    ([name]) => known.has(name) && !name.startsWith('CLUSTER_'),
  );
  const environment: Environment = {
    ...Object.fromEntries(applied),
    ...terminal.env,
    CLUSTER_CONTEXT: name,
    CLUSTER_ENDPOINT: '',
    CLUSTER_CA: '',
    CLUSTERS: '',
  };
  return { environment, context };
}

/** On a terminal, only problems are logged unless LOG_LEVEL is set. */
const levelOf = ({ LOG_LEVEL = '' }: Environment, { logLevel }: Config): Severity =>
  LOG_LEVEL.trim() === '' ? 'WARNING' : logLevel;

/** Human-readable lines: `warning: child failed, key=…`. */
const humanLog = (stream: Stream, level: Severity): Log =>
  createLog((line) => {
    const { severity, message, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const details = Object.entries(fields).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    printLines(stream, [[`${String(severity).toLowerCase()}: ${message}`, ...details].join(', ')]);
  }, level);
