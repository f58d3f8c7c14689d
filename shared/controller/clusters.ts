import { setImmediate } from 'node:timers/promises';
import type { Source } from '../audit/contents.ts';
import { type Delivery, readDelivery } from '../audit/delivery.ts';
import type { Config } from '../config/config.ts';
import type { ResourceType } from '../kubernetes.ts';
import { type Log, withFields } from '../log.ts';
import { quote } from '../printable.ts';
import { parseRequest } from '../reconcile-request.ts';
import { openMemory } from '../run/memory-budget.ts';
import { deliver, isFor, selectionFor } from './deliver.ts';
import {
  createReconciler,
  credentialsOf,
  nameAmongClusters,
  type Reconciler,
  type ReconcilerOptions,
} from './reconciler.ts';
import { failureOf, RequestFailure } from './request-errors.ts';
import { resyncOrFanOut } from './scheduled-resync.ts';

export type Clusters = readonly Reconciler[];

/** The clusters share one memory budget for listed objects. */
export function createClusters(
  config: Config,
  log: Log,
  { record, telemetry }: Pick<ReconcilerOptions, 'record' | 'telemetry'>,
): Clusters {
  const memory = openMemory();
  return config.clusters.map((cluster) => {
    const own = { ...config, cluster };
    const name = nameAmongClusters(own);
    const ownLog = name === undefined ? log : withFields(log, { cluster: name });
    const credentials = () => credentialsOf(own);
    return createReconciler(own, ownLog, { memory, credentials, record, telemetry });
  });
}

/** The body is a reconcile request, and may name one `cluster`. */
export async function resyncClusters(clusters: Clusters, body: unknown): Promise<object> {
  const given: { readonly cluster?: unknown } = body ?? {};
  const { cluster, ...fields } = given;
  const chosen = cluster === undefined ? clusters : named(clusters, cluster);
  const request = parseRequest(fields);
  if (typeof request === 'string') throw new RequestFailure('invalid', request);
  return onEach(clusters, chosen, (reconciler) => resyncOrFanOut(reconciler, request));
}

function named(clusters: Clusters, cluster: unknown): Clusters {
  const matching = clusters.filter(({ config }) => config.cluster.name === cluster);
  if (matching.length > 0) return matching;
  const known = clusters.map(({ config }) => config.cluster.name).join(', ');
  throw new RequestFailure(
    'invalid',
    `unknown cluster ${quote(cluster)}; known clusters: ${known}`,
  );
}

interface DeliveryOrigin extends Omit<Source, 'types'> {
  /** The name in `?cluster=NAME`. Without CLUSTERS it is ignored. */
  readonly cluster?: string | undefined;
}

/**
 * Delivers each part to the cluster that it names, or to all. `?cluster=NAME` excludes all others.
 *
 * Guarantees: the body is read and released before anything is awaited. Do not pass the body to an async function or a
 * closure, which would keep it in memory. Throws at once if the body cannot be read.
 */
export function deliverToClusters(
  clusters: Clusters,
  body: unknown,
  { cluster, ...source }: DeliveryOrigin,
): Promise<object> {
  const empty = 'the body is empty: send audit entries or a request message';
  if (body === undefined) throw new RequestFailure('invalid', empty);
  return deliverTo(clusters, readDelivery(body, { ...source, types: typesOf(clusters) }), cluster);
}

async function deliverTo(clusters: Clusters, delivery: Delivery, cluster: string | undefined) {
  const isAnyName = cluster === undefined || clusters.some(({ config }) => !config.cluster.isNamed);
  const known = isAnyName ? clusters : named(clusters, cluster);
  const parts = [...delivery.requests, ...delivery.records];
  const chosen = known.filter((one) => parts.some((part) => isFor(one, part)));
  return onEach(clusters, chosen.length === 0 ? known.slice(0, 1) : chosen, (one) =>
    deliver(one, selectionFor(one, delivery)),
  );
}

const typesOf = ([first]: Clusters): readonly ResourceType[] =>
  first?.config.kinds.flatMap((kind) => [kind, ...kind.owns, ...kind.refersTo]) ?? [];

/** A cluster that fails or is slow does not affect another. Rejects if the request is invalid or all fail. */
async function onEach(
  clusters: Clusters,
  chosen: Clusters,
  act: (reconciler: Reconciler) => Promise<object>,
): Promise<object> {
  const [only] = clusters;
  if (only !== undefined && clusters.length === 1) return act(only);
  const begun: Promise<object>[] = [];
  for (const reconciler of chosen) {
    // A large delivery for many clusters must not block the event loop.
    if (begun.length > 0) await setImmediate();
    begun.push(act(reconciler).catch((error: unknown) => logged(reconciler, error)));
  }
  const ended = await Promise.all(begun);
  const failures = ended.filter((one) => one instanceof RequestFailure);
  // All clusters have the same kinds, so a request that is invalid for one is invalid for all.
  const invalid = failures.find(({ kind }) => kind === 'invalid');
  if (invalid !== undefined) throw invalid;
  const names = chosen.map(({ config }) => config.cluster.name);
  const message = `every cluster failed: ${names.join(', ')}`;
  if (failures.length === ended.length)
    throw new RequestFailure('transient', message, { isLogged: true });
  const results = ended.map((one, at) => [
    names[at],
    one instanceof RequestFailure ? { error: one.message } : one,
  ]);
  return { clusters: Object.fromEntries(results) };
}

function logged({ log }: Reconciler, reason: unknown): RequestFailure {
  const failure = failureOf(reason);
  const { kind, message: error, isLogged } = failure;
  if (kind === 'busy') log.warning('run not begun', { error });
  else if (kind !== 'invalid' && !isLogged) log.error('run failed', { error });
  return failure;
}
