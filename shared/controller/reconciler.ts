import pLimit from 'p-limit';
import { requestsIn } from '../cluster/cluster.ts';
import { type Credentials, fromContext } from '../cluster/credentials/credentials.ts';
import { fromServiceAccount } from '../cluster/credentials/service-account.ts';
import { type Connection, connect } from '../cluster/http/connection.ts';
import { openCluster } from '../cluster/http-cluster.ts';
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

export interface Reconciler {
  readonly config: ClusterRunConfig;
  readonly log: Log;
  /** Connects, but reads no object. The deadline counts from `arrived` (default: now). */
  readonly begin: (trigger: Policy['trigger'], arrived?: number) => Promise<Run>;
  /** A request waits for at most half of the time until its deadline. */
  readonly enqueue: <Input, Result>(
    arrived: number,
    request: Omit<RunRequest<Input, Result>, 'until'>,
  ) => Promise<Result>;
  readonly record: RecordRun | undefined;
  readonly telemetry: ReconcilerOptions['telemetry'];
  /** Moves every deadline to now: runs begin no more resources, and only finish those under way. */
  readonly stop: () => void;
  readonly close: () => Promise<void>;
}

type ClusterRunConfig = Config & { readonly cluster: ClusterConfig };

/** Returns undefined if there is only one cluster. */
export const nameAmongClusters = ({ clusters, cluster }: ClusterRunConfig): string | undefined =>
  clusters.length === 1 ? undefined : cluster.name;

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

/** Twice the number of requests that an instance of the audit function receives at a time. */
const maxRunning = 16;
/** The minimum number of sockets, which all runs of the process share. A higher CONCURRENCY raises it. */
const fewestSockets = 8;
const maxWaiting = 64;

export function createReconciler(
  config: ClusterRunConfig,
  log: Log,
  {
    credentials,
    connect: open = connect,
    now = () => new Date(),
    memory = openMemory(),
    record,
    telemetry,
    ...pace
  }: ReconcilerOptions,
): Reconciler {
  const withSocket = pLimit(Math.max(fewestSockets, config.concurrency));
  const connection = lazyConnection(async () => {
    const opened = open(await credentials(), { sockets: withSocket.concurrency });
    return (await telemetry?.())?.connection(opened) ?? opened;
  });
  const onBegin = (waitedMs: number) => telemetry?.().then((loaded) => loaded?.queued(waitedMs));
  const queue = new RunQueue({ running: maxRunning, waiting: maxWaiting, onBegin });
  const stopping = new AbortController();
  return {
    config,
    log,
    record,
    telemetry,
    enqueue: (arrived, request) =>
      queue.enqueue({ ...request, until: arrived + (config.deadlineSeconds * 1000) / 2 }),
    async begin(trigger, arrived = Date.now()) {
      const deadline = arrived + config.deadlineSeconds * 1000;
      const limits = { concurrency: config.concurrency, deadline: deadline + graceMs, ...pace };
      // Converts the deadline to the run's clock, which a test may set; timers and requests follow Date.now().
      const until = now().getTime() + deadline - Date.now();
      const cluster = openCluster(await connection.open(), limits);
      const clients = { identity: config.identity, log, now, withSocket };
      return {
        cluster,
        clients: { ...clients, telemetry: await telemetry?.() },
        limits: { deadline: until, stopped: stopping.signal, memory: memory(config.cluster.name) },
        policy: { trigger, seed: Math.random(), rollout: config.rollout },
        nodePorts: nodePortsOf(cluster),
      };
    },
    stop: () => stopping.abort(),
    close: connection.close,
  };
}

export async function measured<R extends MeasuredRun>(
  { config, telemetry }: Reconciler,
  about: Omit<RunFields, 'cluster'>,
  act: () => Promise<R>,
): Promise<R> {
  const loaded = await telemetry?.();
  return loaded?.run({ ...about, cluster: config.cluster.name }, act) ?? act();
}

/** Returns the age of the oldest reported write. Never negative, even if our clock is behind the API server's. */
export const eventAgeOf = ({ clients, policy: { since } }: Run): number | undefined =>
  since && Math.max(0, clients.now().getTime() - since);

/** Opens the connection at the first call, and again after a failure. */
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

export async function credentialsOf(
  { cluster, platform }: Pick<ClusterRunConfig, 'cluster' | 'platform'>,
  files?: readonly string[],
): Promise<Credentials> {
  if ('context' in cluster) return fromContext(cluster.context, files);
  if ('ownServer' in cluster) return fromServiceAccount(cluster.ownServer);
  return platform.fromEndpoint(cluster.endpoint, cluster.ca);
}

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
