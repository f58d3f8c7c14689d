import { setImmediate } from 'node:timers/promises';
import { type Delivery, deliveryOf } from '../audit/delivery.ts';
import { type Envelope, readEnvelope, type Source } from '../audit/envelope.ts';
import type { Config } from '../config/config.ts';
import { type Log, withFields } from '../log.ts';
import { quote } from '../printable.ts';
import { parseRequest } from '../reconcile-request.ts';
import { openMemory } from '../run/memory-budget.ts';
import { type DeliverySelection, deliver, selectionFor } from './deliver.ts';
import {
  type ClusterRunConfig,
  createReconciler,
  credentialsOf,
  type Reconciler,
  type ReconcilerOptions,
  type RecordRun,
} from './reconciler.ts';
import { ClustersFailedError, failureOf, InvalidRequestError } from './request-errors.ts';
import { resyncOrFanOut } from './scheduled-resync.ts';

/** One cluster, or several that one deployment serves. */
export type Clusters = readonly Reconciler[];

/** Opens the recording of a cluster's runs; without its name if it is the only cluster. */
export type OpenRecords = (config: ClusterRunConfig, log: Log, cluster?: string) => RecordRun;

/** Creates a reconciler for each cluster. Each has its own connection, limits and deadlines; they share memory. */
export function createClusters(
  config: Config,
  log: Log,
  {
    records,
    telemetry,
  }: {
    readonly records?: OpenRecords | undefined;
    readonly telemetry?: ReconcilerOptions['telemetry'];
  } = {},
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

/** Runs a resync for every cluster, or only for the one that the body names in addition to its reconcile request. */
export const resyncClusters = async (clusters: Clusters, body: unknown): Promise<object> =>
  onEach(clusters, routeResync(clusters, body));

function routeResync(clusters: Clusters, body: unknown): readonly Call[] {
  const { cluster, ...fields } = fieldsOf(body);
  const chosen = cluster === undefined ? clusters : named(clusters, cluster);
  const request = parseRequest(fields);
  if (typeof request === 'string') throw new InvalidRequestError(request);
  return chosen.map((reconciler) => ({
    reconciler,
    act: () => resyncOrFanOut(reconciler, request),
  }));
}

/** More than any reconcile request has, so that a body of 100,000 fields is not copied. */
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
  const found = clusters.filter((one) => nameOf(one) === cluster);
  if (found.length > 0) return found;
  const known = clusters.map(nameOf).join(', ');
  throw new InvalidRequestError(`unknown cluster ${quote(cluster)}; known clusters: ${known}`);
}

/** The origin of a delivery. */
export interface DeliveryOrigin extends Source {
  /** The cluster named in the URL (`?cluster=NAME`). */
  readonly cluster?: string | undefined;
}

/**
 * Handles a delivery for the cluster that it names, or for all clusters if it names none.
 *
 * Guarantees: the body is read and released before anything is awaited. It is never passed to an async
 * function or a closure, because these would keep it alive.
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

async function deliverRouted(clusters: Clusters, routed: RoutedDelivery): Promise<object> {
  const calls = await selectionsFor(routed);
  return calls.length === 0 ? { scopes: [], dropped: anotherCluster } : onEach(clusters, calls);
}

interface RoutedDelivery {
  readonly delivery: Delivery;
  /** The clusters that the delivery is for. */
  readonly chosen: Clusters;
}

function routeDelivery(
  clusters: Clusters,
  body: unknown,
  { cluster, ...source }: DeliveryOrigin,
): RoutedDelivery {
  if (body === undefined)
    throw new InvalidRequestError('the body is empty: send audit entries or a request message');
  const envelope = readEnvelope(body, source);
  const known =
    cluster === undefined || !clusters.every(hasOwnName) ? clusters : named(clusters, cluster);
  const chosen = known.filter((one) => isFor(one, envelope));
  if (chosen.length === 0)
    clusters[0]?.log.debug('nothing to reconcile', {
      ...envelope.delivery,
      dropped: anotherCluster,
    });
  // One cluster is enough to log a body that cannot be parsed.
  const isOne = envelope.kind === 'unintelligible';
  return { delivery: deliveryOf(envelope), chosen: isOne ? chosen.slice(0, 1) : chosen };
}

/** Filters and routes the delivery for each cluster. */
async function selectionsFor({ delivery, chosen }: RoutedDelivery): Promise<readonly Call[]> {
  const selections: { reconciler: Reconciler; selection: DeliverySelection }[] = [];
  for (const reconciler of chosen) {
    // Yields, so that a large delivery for many clusters does not block the event loop.
    if (selections.length > 0) await setImmediate();
    selections.push({ reconciler, selection: selectionFor(reconciler, delivery) });
  }
  return selections.map(({ reconciler, selection }) => ({
    reconciler,
    act: () => deliver(reconciler, selection),
  }));
}

const anotherCluster = { 'another cluster': 1 };

/** Delivers to all clusters if none is named, and everything to a cluster without a name of its own. */
function isFor(reconciler: Reconciler, envelope: Envelope): boolean {
  if (!hasOwnName(reconciler)) return true;
  const name = nameOf(reconciler);
  if (envelope.kind === 'log-entry') return envelope.clusters.includes(name);
  return envelope.kind !== 'scope' || [undefined, name].includes(envelope.cluster);
}

const hasOwnName = ({ config }: Reconciler): boolean => config.cluster.isOwnName === true;

const nameOf = ({ config }: Reconciler): string => config.cluster.name;

/** The work for one cluster. */
interface Call {
  readonly reconciler: Reconciler;
  readonly act: () => Promise<object>;
}

/**
 * Runs all calls concurrently.
 *
 * Guarantees: a cluster that fails or is slow does not affect the work on another. With several clusters
 * the result is an error only if all failed, or if the request is invalid.
 * Caveats: waits for the slowest cluster, until its deadline.
 */
async function onEach(clusters: Clusters, calls: readonly Call[]): Promise<object> {
  const settled = await Promise.allSettled(calls.map(({ act }) => act()));
  const [first] = settled;
  const isInvalid = first?.status === 'rejected' && first.reason instanceof InvalidRequestError;
  if (first?.status === 'rejected' && (isSingle(clusters) || isInvalid)) throw first.reason;
  if (first?.status === 'fulfilled' && isSingle(clusters)) return first.value;
  const results = calls.map(({ reconciler }, at): [string, object] => {
    const one = settled[at];
    return [
      nameOf(reconciler),
      one?.status === 'fulfilled' ? one.value : logFailure(reconciler, one?.reason),
    ];
  });
  if (settled.every(({ status }) => status === 'rejected'))
    throw new ClustersFailedError(
      `every cluster failed: ${results.map(([name]) => name).join(', ')}`,
    );
  return { clusters: Object.fromEntries(results) };
}

function logFailure({ log }: Reconciler, reason: unknown): { readonly error: string } {
  const { kind, message: error, isLogged } = failureOf(reason);
  if (kind === 'busy') log.warning('run not begun', { error });
  else if (!isLogged) log.error('run failed', { error });
  return { error };
}
