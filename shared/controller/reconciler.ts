import pLimit from 'p-limit';
import { requestsIn } from '../cluster/cluster.ts';
import { DeadlineError } from '../cluster/cluster-errors.ts';
import { type Credentials, fromContext } from '../cluster/credentials/credentials.ts';
import { fromServiceAccount } from '../cluster/credentials/service-account.ts';
import { type Connection, connect } from '../cluster/http/connection.ts';
import { openCluster } from '../cluster/http-cluster.ts';
import { within } from '../cluster/time-limit.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import type { Config } from '../config/config.ts';
import { present } from '../json.ts';
import type { Log } from '../log.ts';
import { resyncOrDryRun } from '../preview/dry-run.ts';
import type { ReconcileRequest } from '../reconcile-request.ts';
import type { RunRecording } from '../recording/bucket-recorder.ts';
import type { Report } from '../resync/report.ts';
import { graceMs } from '../run/fairness.ts';
import { type Memory, openMemory } from '../run/memory-budget.ts';
import { nodePortsOf } from '../run/node-ports.ts';
import type { Policy, Run } from '../run/run.ts';
import type { MeasuredRun, RunFields, Telemetry } from '../run/telemetry.ts';
import { RunQueue, type RunRequest } from './run-queue.ts';

/** Reconciles one cluster for the life of the process. */
export interface Reconciler {
  readonly config: ClusterRunConfig;
  readonly log: Log;
  /** Connects, but reads no object. The deadline counts from `arrived`, in ms since the epoch; default: now. */
  readonly begin: (trigger: Policy['trigger'], arrived?: number) => Promise<Run>;
  /** Queues a run, or a search for owners. A request waits for at most half of the time until its deadline. */
  readonly enqueue: <Input, Result>(
    arrived: number,
    request: Omit<RunRequest<Input, Result>, 'until'>,
  ) => Promise<Result>;
  readonly record: RecordRun | undefined;
  /** Moves the deadline of every run to now. Runs begin no further work, write their statuses and end. */
  readonly stop: () => void;
  readonly close: () => Promise<void>;
}

type ClusterRunConfig = Config & { readonly cluster: ClusterConfig };

/** Returns undefined for a deployment's only cluster, which needs no name. */
export const nameAmongClusters = ({ clusters, cluster }: ClusterRunConfig): string | undefined =>
  clusters.length === 1 ? undefined : cluster.name;

/** Returns undefined if the run is not recorded. */
export type RecordRun = (
  config: ClusterRunConfig,
  run: Run,
  requests: readonly ReconcileRequest[],
) => Promise<RunRecording | undefined>;

export interface ReconcilerOptions {
  readonly credentials: () => Promise<Credentials>;
  readonly connect?: typeof connect;
  readonly now?: () => Date;
  readonly memory?: Memory;
  readonly record?: RecordRun | undefined;
  readonly telemetry?: (() => Promise<Telemetry | undefined>) | undefined;
  readonly backoffMs?: number;
}

/** Twice the number of requests that an instance of the audit function receives at a time (set by Terraform). */
const maxRunning = 16;
/**
 * Minimum number of sockets to the cluster. All runs of the process share them, and together reconcile as many
 * resources at a time. A higher CONCURRENCY raises the number. CONCURRENCY also limits each run.
 */
const fewestSockets = 8;
const maxWaiting = 64;

/** Connects when first needed. Each run has its own deadline, limits and counts. */
export function createReconciler(
  config: ClusterRunConfig,
  log: Log,
  {
    credentials,
    connect: open = connect,
    now = () => new Date(),
    memory = openMemory(),
    record,
    telemetry: loadTelemetry,
    ...pace
  }: ReconcilerOptions,
): Reconciler {
  const withSocket = pLimit(Math.max(fewestSockets, config.concurrency));
  const connection = lazyConnection(async () => {
    const opened = open(await credentials(), { sockets: withSocket.concurrency });
    return (await loadTelemetry?.())?.connection(opened) ?? opened;
  });
  const onBegin = async (waitedMs: number) => (await loadTelemetry?.())?.queued(waitedMs);
  const queue = new RunQueue({ running: maxRunning, waiting: maxWaiting, onBegin });
  const stopping = new AbortController();
  let stopAt = Number.POSITIVE_INFINITY;
  return {
    config,
    log,
    record,
    enqueue: (arrived, request) =>
      queue.enqueue({ ...request, until: arrived + (config.deadlineSeconds * 1000) / 2 }),
    async begin(trigger, arrived = Date.now()) {
      const deadline = arrived + config.deadlineSeconds * 1000;
      const limits = { concurrency: config.concurrency, deadline: deadline + graceMs, ...pace };
      const left = deadline - Date.now();
      // Converts the deadline to the run's clock, which a test may set; timers and requests follow Date.now().
      const until = now().getTime() + left;
      const telemetry = await loadTelemetry?.();
      const connected = await within(left, connection.open, () => credentialsTimeout(config)).catch(
        // Fails within a traced run, so that the telemetry also counts runs that cannot connect.
        (error: unknown) =>
          traced(telemetry, { trigger, cluster: config.cluster.name }, () => Promise.reject(error)),
      );
      const cluster = openCluster(connected, limits);
      return {
        cluster,
        clients: { identity: config.identity, log, now, telemetry, withSocket },
        limits: {
          deadline: () => Math.min(until, stopAt),
          stopped: stopping.signal,
          memory: memory(config.cluster.name),
        },
        policy: { trigger, seed: Math.random(), rollout: config.rollout },
        nodePorts: nodePortsOf(cluster),
      };
    },
    stop() {
      stopAt = now().getTime();
      stopping.abort();
    },
    close: connection.close,
  };
}

const traced = <R extends MeasuredRun>(
  telemetry: Telemetry | undefined,
  about: RunFields,
  act: () => Promise<R>,
): Promise<R> => telemetry?.run(about, act) ?? act();

/** The run counts as failed if `act` rejects. */
export function measured<R extends MeasuredRun>(
  { config }: Reconciler,
  run: Run,
  act: () => Promise<R>,
): Promise<R> {
  const { trigger, auditIds } = run.policy;
  const about = { trigger, cluster: config.cluster.name, eventAgeMs: eventAgeOf(run), auditIds };
  return traced(run.clients.telemetry, about, act);
}

/** In milliseconds; at least 0, even if this clock is behind the API server's. */
const eventAgeOf = ({ clients, policy: { since } }: Run): number | undefined =>
  since && Math.max(0, clients.now().getTime() - since);

/** Opens the connection at the first call; after a failure, again at the next call. */
function lazyConnection(connectNow: () => Promise<Connection>) {
  let connection: Promise<Connection> | undefined;
  return {
    open(): Promise<Connection> {
      connection ??= connectNow().catch((error: unknown) => {
        connection = undefined;
        throw error;
      });
      return connection;
    },
    close: async (): Promise<void> => (await connection)?.close(),
  };
}

/** The read of the credentials continues, for a later run. */
const credentialsTimeout = ({ cluster, deadlineSeconds }: ClusterRunConfig): DeadlineError =>
  new DeadlineError(
    `no credentials for cluster "${cluster.name}" within DEADLINE_SECONDS (${deadlineSeconds} s): is an exec plugin or identity provider waiting for input?`,
  );

export async function credentialsOf(
  { cluster, platform }: Pick<ClusterRunConfig, 'cluster' | 'platform'>,
  files?: readonly string[],
): Promise<Credentials> {
  if ('context' in cluster) return fromContext(cluster.context, files);
  if ('ownServer' in cluster) return fromServiceAccount(cluster.ownServer);
  return platform.fromEndpoint(cluster.endpoint, cluster.ca);
}

/** Logs one summary. The caller measures the run. */
export async function reconcileRequests(
  reconciler: Reconciler,
  run: Run,
  requests: readonly ReconcileRequest[],
): Promise<Report> {
  const { log, config, record } = reconciler;
  const eventAgeMs = eventAgeOf(run);
  const recording = await record?.(config, run, requests);
  const running = resyncOrDryRun(recording?.run ?? run, requests, { ...config, area: config });
  await recording?.keep(await running.catch(() => undefined));
  const report = await running;
  for (const { kind, error, ofChildren, namespace } of report.incomplete) {
    const failure = { error, ...present({ namespace }) };
    if (ofChildren) log.error('children not listed', { type: kind, ...failure });
    else log.error('kind not reconciled', { kind, ...failure });
  }
  for (const { kind, error } of report.notServed)
    log.info('type not served', { type: kind, error });
  const { durationMs, resources, outcomes, statusWrites, undone, incomplete, codeChanges } = report;
  log.summary('resynced', {
    trigger: run.policy.trigger,
    reconcileRequests: requests,
    durationMs,
    requests: requestsIn(report.requests),
    resources,
    outcomes,
    statusWrites,
    failures: report.failures.length + report.moreFailures,
    undone: undone.length,
    incomplete: incomplete.length,
    ...present({ changedByCode: codeChanges?.resources, eventAgeMs }),
  });
  for (const change of codeChanges?.first ?? []) log.info('changed by code', { ...change });
  return report;
}
