import { setImmediate } from 'node:timers/promises';
import type { Source } from '../audit/contents.ts';
import { type Delivery, readDelivery } from '../audit/delivery.ts';
import { MalformedError } from '../audit/json-text.ts';
import type { Config } from '../config/config.ts';
import type { ResourceType } from '../kubernetes.ts';
import { type Log, withFields } from '../log.ts';
import { quote } from '../printable.ts';
import { parseRequest } from '../reconcile-request.ts';
import { openMemory } from '../run/memory-budget.ts';
import {
  type AuditResult,
  anotherCluster,
  type DeliverySelection,
  deliver,
  isFor,
  selectionFor,
} from './deliver.ts';
import {
  type ClusterRunConfig,
  createReconciler,
  credentialsOf,
  type Reconciler,
  type ReconcilerOptions,
  type RecordRun,
} from './reconciler.ts';
import { failureOf, InvalidRequestError, LoggedError } from './request-errors.ts';
import { resyncOrFanOut } from './scheduled-resync.ts';

/** The clusters of a deployment, at least one. */
export type Clusters = readonly Reconciler[];

/** Opens the recording of a cluster's runs. `cluster` is undefined if the deployment has only one. */
export type OpenRecords = (config: ClusterRunConfig, log: Log, cluster?: string) => RecordRun;

interface ClustersOptions extends Pick<ReconcilerOptions, 'telemetry'> {
  readonly records?: OpenRecords | undefined;
}

/** Creates a reconciler for each cluster, with its own connection, limits and deadlines. All share the memory. */
export function createClusters(
  config: Config,
  log: Log,
  { records, telemetry }: ClustersOptions = {},
): Clusters {
  const memory = openMemory();
  const { publish } = config.platform;
  const isOnly = isSingle(config.clusters);
  return config.clusters.map((cluster) => {
    const own = { ...config, cluster };
    const name = isOnly ? undefined : cluster.name;
    const ownLog = name === undefined ? log : withFields(log, { cluster: name });
    return createReconciler(own, ownLog, {
      memory,
      credentials: () => credentialsOf(own),
      fanOut: publish && { publish, cluster: name },
      record: records?.(own, ownLog, name),
      telemetry,
    });
  });
}

const isSingle = (clusters: readonly unknown[]): boolean => clusters.length === 1;

/** Runs a resync on every cluster, or on the one that the body names in `cluster`, next to its reconcile request. */
export async function resyncClusters(clusters: Clusters, body: unknown): Promise<object> {
  const { cluster, ...fields } = fieldsOf(body);
  const chosen = cluster === undefined ? clusters : named(clusters, cluster);
  const request = parseRequest(fields);
  if (typeof request === 'string') throw new InvalidRequestError(request);
  return onEach(
    clusters,
    chosen.map((reconciler) => ({ reconciler })),
    ({ reconciler }) => resyncOrFanOut(reconciler, request),
  );
}

/** Limit of fields in a body, so that a body of 100,000 fields is not copied. */
const maxFields = 20;

function fieldsOf(body: unknown): { readonly cluster?: unknown } {
  const fields = body ?? {};
  const count = Object.keys(fields).length;
  if (count <= maxFields) return fields;
  throw new InvalidRequestError(
    `the body has ${count} fields: only kind, namespace, name and cluster are known`,
  );
}

function named(clusters: Clusters, cluster: unknown): Clusters {
  const matching = clusters.filter((one) => nameOf(one) === cluster);
  if (matching.length > 0) return matching;
  const known = clusters.map(nameOf).join(', ');
  throw new InvalidRequestError(`unknown cluster ${quote(cluster)}; known clusters: ${known}`);
}

export interface DeliveryOrigin extends Omit<Source, 'types'> {
  /** The name in `?cluster=NAME`. */
  readonly cluster?: string | undefined;
}

/**
 * Handles a delivery on the cluster that it names, or on all clusters if it names none.
 *
 * Guarantees: the body is read and released before anything is awaited. No async function and no closure receives
 * it, because these would keep it in memory.
 */
export function deliverToClusters(
  clusters: Clusters,
  body: unknown,
  origin: DeliveryOrigin,
): Promise<object> {
  try {
    return deliverRouted(clusters, routeDelivery(clusters, body, origin));
  } catch (error) {
    return Promise.reject(error);
  }
}

async function deliverRouted(
  clusters: Clusters,
  { delivery, chosen }: RoutedDelivery,
): Promise<object> {
  const selected: (On & { readonly selection: DeliverySelection })[] = [];
  for (const reconciler of chosen) {
    // Yields to the event loop, so that a large delivery for many clusters does not block it.
    if (selected.length > 0) await setImmediate();
    selected.push({ reconciler, selection: selectionFor(reconciler, delivery) });
  }
  if (selected.length === 0) return ignored(clusters, delivery);
  return onEach(clusters, selected, ({ reconciler, selection }) => deliver(reconciler, selection));
}

interface RoutedDelivery {
  readonly delivery: Delivery;
  readonly chosen: Clusters;
}

function routeDelivery(
  clusters: Clusters,
  body: unknown,
  { cluster, ...source }: DeliveryOrigin,
): RoutedDelivery {
  if (body === undefined)
    throw new InvalidRequestError('the body is empty: send audit entries or a request message');
  const delivery = read(body, { ...source, types: typesOf(clusters) });
  const known =
    cluster === undefined || !clusters.every(hasOwnName) ? clusters : named(clusters, cluster);
  const addressed = [...delivery.requests, ...delivery.records];
  // A body without content is handled on the first cluster alone, so that it is logged once.
  if (addressed.length === 0) return { delivery, chosen: known.slice(0, 1) };
  return { delivery, chosen: known.filter((one) => addressed.some((part) => isFor(one, part))) };
}

function read(body: unknown, source: Source): Delivery {
  try {
    return readDelivery(body, source);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    throw new InvalidRequestError(`the body is ${error.message}`);
  }
}

/** The types of resources, their children and referenced objects, which are the same on all clusters. */
const typesOf = ([first]: Clusters): readonly ResourceType[] =>
  first?.config.kinds.flatMap((kind) => [kind, ...kind.owns, ...kind.refersTo]) ?? [];

/** Logs a delivery whose cluster names are all unknown, because they may be wrong. */
function ignored([first]: Clusters, { id, requests, records, dropped }: Delivery): AuditResult {
  const drops = { ...dropped, [anotherCluster]: requests.length + records.length };
  first?.log.info('nothing to reconcile', { ...id, dropped: drops });
  return { reconcileRequests: [], dropped: drops };
}

const hasOwnName = ({ config }: Reconciler): boolean => config.cluster.isOwnName === true;

const nameOf = ({ config }: Reconciler): string => config.cluster.name;

interface On {
  readonly reconciler: Reconciler;
}

/**
 * Calls `act` for the chosen clusters concurrently.
 *
 * Guarantees: a cluster that fails or is slow does not affect another. If the deployment has several clusters,
 * rejects only if all chosen ones failed or the request is invalid. Caveats: waits for the slowest cluster, until
 * its deadline.
 */
async function onEach<T extends On>(
  clusters: Clusters,
  chosen: readonly T[],
  act: (one: T) => Promise<object>,
): Promise<object> {
  const settled = await Promise.allSettled(chosen.map(act));
  const [first] = settled;
  const isInvalid = first?.status === 'rejected' && first.reason instanceof InvalidRequestError;
  if (first?.status === 'rejected' && (isSingle(clusters) || isInvalid)) throw first.reason;
  if (first?.status === 'fulfilled' && isSingle(clusters)) return first.value;
  const results = chosen.map(({ reconciler }, at): [string, object] => {
    const one = settled[at];
    const isDone = one?.status === 'fulfilled';
    return [nameOf(reconciler), isDone ? one.value : logFailure(reconciler, one?.reason)];
  });
  if (settled.every(({ status }) => status === 'rejected'))
    throw new LoggedError(`every cluster failed: ${results.map(([name]) => name).join(', ')}`);
  return { clusters: Object.fromEntries(results) };
}

function logFailure({ log }: Reconciler, reason: unknown): { readonly error: string } {
  const { kind, message: error, isLogged } = failureOf(reason);
  if (kind === 'busy') log.warning('run not begun', { error });
  else if (!isLogged) log.error('run failed', { error });
  return { error };
}
