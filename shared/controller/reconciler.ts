import { type Connection, connect } from '../cluster/connection.ts';
import { type Credentials, fromContext, fromEndpoint } from '../cluster/credentials.ts';
import { DeadlineError } from '../cluster/errors.ts';
import { openCluster } from '../cluster/http-cluster.ts';
import { within } from '../cluster/time-limit.ts';
import type { ClusterConfig } from '../config/clusters.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../log.ts';
import { readRepairs } from '../reconcile/contested.ts';
import { type Memory, openMemory } from '../reconcile/memory-budget.ts';
import { readNodePorts } from '../reconcile/refusal.ts';
import type { Report } from '../reconcile/report.ts';
import { resync } from '../reconcile/resync.ts';
import type { Run } from '../reconcile/run.ts';
import type { Scope } from '../scope.ts';
import type { FanOutTarget } from './publish.ts';
import { createRunQueue, type RunRequest } from './run-queue.ts';

/** Reconciles one cluster: made once, when the process starts. */
export interface Reconciler {
  readonly config: ReconcilerConfig;
  readonly log: Log;
  /** A run whose deadline counts from when its request arrived, in milliseconds since the epoch; default: now. */
  readonly begin: (trigger: Run['trigger'], arrived?: number) => Promise<Run>;
  /**
   * Every run begins through this queue. A request waits until half of its time is over at most, however
   * often it waits, so that what follows has the other half.
   */
  readonly enqueue: <Input, Result>(
    arrived: number,
    request: Omit<RunRequest<Input, Result>, 'until'>,
  ) => Promise<Result>;
  /** Where a tick publishes its parts instead of running them. */
  readonly fanOut: FanOutTarget | undefined;
  readonly close: () => Promise<void>;
}

/** The configuration, of one cluster. */
export type ReconcilerConfig = Config & { readonly cluster: ClusterConfig };

export interface ReconcilerOptions {
  readonly credentials?: () => Promise<Credentials>;
  readonly now?: () => Date;
  /** Shared where a process has connections to several clusters. */
  readonly memory?: Memory;
  readonly fanOut?: FanOutTarget | undefined;
  /** As in RunLimits. */
  readonly backoffMs?: number;
}

/** Time beyond the deadline to finish what was begun before it. */
const graceMs = 15_000;

/** Twice the requests that an instance receives at once on Google Cloud: a run that settles keeps its place. */
const runsAtOnce = 16;
const runsWaiting = 64;

/** Opens the one connection of this process; every run has its own deadline, counts and limits. */
export function createReconciler(
  config: ReconcilerConfig,
  log: Log,
  {
    credentials = () => credentialsOf(config),
    now = () => new Date(),
    memory = openMemory(),
    fanOut,
    ...pace
  }: ReconcilerOptions = {},
): Reconciler {
  let connection: Promise<Connection> | undefined;
  const connected = (): Promise<Connection> => {
    connection ??= credentials()
      .then(connect)
      .catch((error: unknown) => {
        connection = undefined;
        throw error;
      });
    return connection;
  };
  const queue = createRunQueue({ running: runsAtOnce, waiting: runsWaiting });
  return {
    config,
    log,
    fanOut,
    enqueue: (arrived, request) =>
      queue({ ...request, until: arrived + config.deadlineSeconds * 500 }),
    async begin(trigger, arrived = Date.now()) {
      const deadline = arrived + config.deadlineSeconds * 1000;
      const limits = { concurrency: config.concurrency, deadline: deadline + graceMs, ...pace };
      const connection = await within(deadline - Date.now(), connected, () =>
        credentialsTimeout(config),
      );
      const cluster = openCluster(connection, limits);
      return {
        cluster,
        log,
        deadline,
        trigger,
        now,
        nodePorts: readNodePorts(),
        repairs: readRepairs(),
        memoryBudget: memory(config.cluster.name),
      };
    },
    close: async () => (await connection)?.close(),
  };
}

/** They are still waited for: a later run may read them. */
const credentialsTimeout = ({ cluster, deadlineSeconds }: ReconcilerConfig): DeadlineError =>
  new DeadlineError(
    `there are no credentials for cluster "${cluster.name}" within DEADLINE_SECONDS (${deadlineSeconds} s): does what gives them, an exec plugin perhaps, wait for somebody?`,
  );

const credentialsOf = async ({ cluster }: ReconcilerConfig): Promise<Credentials> =>
  'context' in cluster ? fromContext(cluster.context) : fromEndpoint(cluster.endpoint, cluster.ca);

export interface ScopesToReconcile {
  readonly scopes: readonly Scope[];
  /** As in ResyncOptions. */
  readonly onSettling?: () => void;
}

/** One run over these Scopes, with one summary line. */
export async function reconcileScopes(
  { config, log }: Reconciler,
  run: Run,
  { scopes, onSettling = () => undefined }: ScopesToReconcile,
): Promise<Report> {
  const report = await resync(run, scopes, { ...config, area: config, onSettling });
  for (const { kind, error } of report.incomplete)
    log.error('kind not reconciled', { kind, error });
  const { durationMs, resources, outcomes, statusWrites, undone, incomplete } = report;
  log.summary('resynced', {
    trigger: run.trigger,
    scopes,
    durationMs,
    resources,
    outcomes,
    statusWrites,
    failures: report.failures.length + report.moreFailures,
    undone: undone.length,
    incomplete: incomplete.length,
  });
  return report;
}
