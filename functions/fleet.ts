import { setImmediate } from 'node:timers/promises';
import { type Envelope, type Headers, readEnvelope } from '../shared/audit/envelope.ts';
import { isCluster } from '../shared/audit/record.ts';
import type { Config } from '../shared/config/config.ts';
import { about, type Log } from '../shared/log.ts';
import { quote } from '../shared/printable.ts';
import { openMemory } from '../shared/reconcile/holding.ts';
import { BusyError, SharedError } from '../shared/run-queue.ts';
import { openRuns, type Runs } from '../shared/runs.ts';
import { type Asked, type Gist, gistOf, read } from './asked.ts';
import { lookAt } from './audit.ts';
import { LoggedError, RequestError } from './door.ts';
import type { Publish } from './publish.ts';
import { handleResync } from './resync.ts';

/** One cluster, or several that one deployment looks after. */
export type Fleet = readonly Runs[];

/** A connection, limits and a deadline of its own for each cluster. */
export function openFleet(config: Config, log: Log): Fleet {
  const memory = openMemory();
  return config.clusters.map((cluster) =>
    openRuns(
      { ...config, cluster },
      isAlone(config.clusters) ? log : about(log, { cluster: cluster.name }),
      { memory },
    ),
  );
}

const isAlone = (clusters: readonly unknown[]): boolean => clusters.length === 1;

/** A tick for every cluster, or for the one that the body names beside its Scope. */
export function resyncFleet(fleet: Fleet, body: unknown, publish?: Publish): Promise<object> {
  const { cluster, ...scope } = fieldsOf(body);
  const chosen = cluster === undefined ? fleet : named(fleet, cluster);
  const works = chosen.map((runs) => ({ runs }));
  return onEach(fleet, works, ({ runs }) =>
    handleResync(
      runs,
      scope,
      publish && { publish, cluster: isAlone(fleet) ? undefined : nameOf(runs) },
    ),
  );
}

/** No scope has more: a body of 100,000 fields is not copied. */
const maxFields = 20;

function fieldsOf(body: unknown): { readonly cluster?: unknown } {
  const fields = body ?? {};
  const count = Object.keys(fields).length;
  if (count <= maxFields) return fields;
  throw new RequestError(
    400,
    `the body has ${count} fields: a scope has kind, namespace and name, and cluster beside it`,
  );
}

function named(fleet: Fleet, cluster: unknown): Fleet {
  const found = fleet.filter((runs) => nameOf(runs) === cluster);
  if (found.length > 0) return found;
  const known = fleet.map(nameOf).join(', ');
  throw new RequestError(400, `there is no cluster ${quote(cluster)}: there are ${known}`);
}

export interface Sender {
  readonly headers: Headers;
  /** The cluster named in the URL (`?cluster=NAME`). */
  readonly from: string | undefined;
}

/**
 * A delivery for the cluster that it says it is from; for all of them where it does not say.
 *
 * Guarantees: the body is read and released before anything is awaited.
 */
export function auditFleet(fleet: Fleet, body: unknown, sender: Sender): Promise<object> {
  // An async function, and a closure, keep their arguments: the body is in neither.
  return asksOf(fleet, body, sender).then((deliveries) =>
    deliveries.length === 0
      ? { scopes: [], dropped: anotherCluster }
      : onEach(fleet, deliveries, ({ runs, asked }) => lookAt(runs, asked)),
  );
}

function asksOf(fleet: Fleet, body: unknown, sender: Sender): ReturnType<typeof readForEach> {
  try {
    return readForEach(understood(fleet, body, sender));
  } catch (error) {
    return Promise.reject(error);
  }
}

interface Understood {
  readonly gist: Gist;
  /** Those that it is for. */
  readonly chosen: Fleet;
}

function understood(fleet: Fleet, body: unknown, { headers, from }: Sender): Understood {
  if (body === undefined)
    throw new RequestError(
      400,
      'the body is empty: this function is sent audit entries or a scope',
    );
  const envelope = readEnvelope(body, headers);
  const known = from === undefined || !fleet.every(hasOwnName) ? fleet : named(fleet, from);
  const chosen = known.filter((runs) => isFor(runs, envelope));
  if (chosen.length === 0)
    fleet[0]?.log.debug('nothing to look at', { ...envelope.delivery, dropped: anotherCluster });
  // A body that cannot be understood is reported once.
  const isOne = envelope.kind === 'unintelligible';
  return { gist: gistOf(envelope), chosen: isOne ? chosen.slice(0, 1) : chosen };
}

/** What a delivery asks each cluster for. */
async function readForEach({ gist, chosen }: Understood) {
  const deliveries: { readonly runs: Runs; readonly asked: Asked }[] = [];
  for (const runs of chosen) {
    // One large body for many clusters does not block the event loop.
    if (deliveries.length > 0) await setImmediate();
    deliveries.push({ runs, asked: read(runs, gist) });
  }
  return deliveries;
}

const anotherCluster = { 'another cluster': 1 };

/** A delivery without a cluster is for all, and a cluster without a name gets every delivery. */
function isFor(runs: Runs, envelope: Envelope): boolean {
  if (!hasOwnName(runs)) return true;
  if (envelope.kind === 'log-entry') return isCluster(envelope.entry, nameOf(runs));
  return envelope.kind !== 'scope' || [undefined, nameOf(runs)].includes(envelope.cluster);
}

const hasOwnName = ({ config }: Runs): boolean => config.cluster.isOwnName === true;

const nameOf = ({ config }: Runs): string => config.cluster.name;

/**
 * All at once and independently.
 *
 * Guarantees: a cluster that fails or is slow neither fails nor delays the work on another; the
 * answer is an error only where every cluster failed.
 * Caveats: the answer waits for the slowest, which its deadline bounds.
 */
async function onEach<Work extends { readonly runs: Runs }>(
  fleet: Fleet,
  works: readonly Work[],
  act: (work: Work) => Promise<object>,
): Promise<object> {
  const settled = await Promise.allSettled(works.map(act));
  const [first] = settled;
  const isRefused = first?.status === 'rejected' && first.reason instanceof RequestError;
  if (first?.status === 'rejected' && (isAlone(fleet) || isRefused)) throw first.reason;
  if (first?.status === 'fulfilled' && isAlone(fleet)) return first.value;
  const answers = settled.map((one, at): [string, object] => {
    const runs = works[at]?.runs;
    const name = runs === undefined ? '' : nameOf(runs);
    return [name, one.status === 'fulfilled' ? one.value : { error: told(runs, one.reason) }];
  });
  if (settled.every(({ status }) => status === 'rejected'))
    throw new LoggedError(`every cluster failed: ${answers.map(([name]) => name).join(', ')}`);
  return { clusters: Object.fromEntries(answers) };
}

function told(runs: Runs | undefined, reason: unknown): string {
  const error = reason instanceof Error ? reason.message : String(reason);
  if (reason instanceof BusyError) runs?.log.warning('run not begun', { error });
  else if (!(reason instanceof SharedError)) runs?.log.error('run failed', { error });
  return error;
}
