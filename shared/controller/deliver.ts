import { countDrops, type Delivery, type DropCounts } from '../audit/delivery.ts';
import type { AuditRecord } from '../audit/record.ts';
import { type ChildKey, routeOf } from '../audit/route.ts';
import { isFinal, messageOf } from '../cluster/cluster-errors.ts';
import type { Cause } from '../plan/drift/cause.ts';
import { keyOfReference } from '../plan/observed/world.ts';
import { oneLine } from '../printable.ts';
import { affectedBy } from '../reading/affected-resources.ts';
import { mergeRequests, type ReconcileRequest } from '../reconcile-request.ts';
import { type Report, shortened } from '../resync/report.ts';
import { areaOf, keyOfAreas, laneOf, misfitOf, withinLists } from '../run/area.ts';
import { causedBy, type Run, withObserver } from '../run/run.ts';
import { eventAgeOf, measured, type Reconciler, reconcileRequests } from './reconciler.ts';
import { listsFailed, RequestFailure } from './request-errors.ts';

type DeliverySelection = ReturnType<typeof selectionFor>;

export interface AuditResult {
  readonly reconcileRequests: readonly ReconcileRequest[];
  readonly dropped: DropCounts;
  readonly report?: Report;
}

export function selectionFor({ config, log }: Reconciler, delivery: Delivery) {
  const drops = countDrops(delivery.dropped);
  const requests: ReconcileRequest[] = [];
  const children: ChildKey[] = [];
  const referred: ChildKey[] = [];
  const causes: Cause[] = [];
  const counted: AuditRecord[] = [];
  const add = (request: ReconcileRequest): void => {
    if (areaOf(request, config).kinds.length > 0) requests.push(request);
    else drops.add(misfitOf(request, config) ?? 'outside KINDS and NAMESPACES');
  };
  const isOwn = (part: Pick<AuditRecord, 'clusters'>): boolean => isFor({ config }, part);
  for (const part of delivery.requests) if (isOwn(part)) add(part.request);
  for (const record of delivery.records) {
    const route = isOwn(record) ? routeOf(record, config) : { dropped: 'another cluster' };
    if ('dropped' in route) {
      drops.add(route.dropped);
      continue;
    }
    counted.push(record);
    route.requests.forEach(add);
    if (route.referred !== undefined) referred.push(route.referred);
    if (route.child === undefined) continue;
    children.push(route.child);
    if (config.attributeRepairs) causes.push(...causeOf(record, route.child));
  }
  if (delivery.problem !== undefined)
    log.warning('delivery not understood', { error: delivery.problem });
  return {
    trigger: delivery.requests.length === 0 ? ('audit' as const) : ('request' as const),
    isElsewhere: delivery.records.length > 0 && !delivery.records.some(isOwn),
    requests: mergeRequests(requests),
    children: distinct(children),
    referred: distinct(referred),
    reported: { causes, since: oldestOf(counted) },
    dropped: drops.counts(),
  };
}

function oldestOf(records: readonly AuditRecord[]): number | undefined {
  const times = records.flatMap(({ time }) => (isDated(time) ? [Date.parse(time)] : []));
  return times.length === 0 ? undefined : Math.min(...times);
}

export const isFor = (
  { config: { cluster } }: Pick<Reconciler, 'config'>,
  { clusters = [cluster.name] }: Pick<AuditRecord, 'clusters'>,
): boolean => !cluster.isNamed || clusters.includes(cluster.name);

const distinct = (written: readonly ChildKey[]): readonly ChildKey[] =>
  [...Map.groupBy(written, keyOfReference).values()].map((entries) => {
    const { ended: _, ...object }: ChildKey = Object.assign({}, ...entries);
    return entries.every(({ ended }) => ended) ? { ...object, ended: true } : object;
  });

/** Returns the write as a possible cause of a repair (`attributed`); none without a user or a valid time. */
function causeOf(record: AuditRecord, { type, namespace, name }: ChildKey): readonly Cause[] {
  const { user, userAgent, verb, time } = record;
  if (user === '' || !isDated(time)) return [];
  const agent = /^[!-.0-~]{1,63}/.exec(userAgent ?? '')?.[0];
  return [{ kind: type.kind, namespace, name, verb, user: oneLine(user, 128), agent, time }];
}

const isDated = (text: string | undefined): text is string =>
  text !== undefined &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) &&
  !Number.isNaN(Date.parse(text));

/**
 * Reconciles in one run, whose deadline counts from the arrival. Rejects if a redelivery may succeed.
 *
 * Guarantees: entries only select objects to read; their contents are never state. An entry whose owner can never be
 * read is logged, and does not affect other entries. Lost, repeated and reordered deliveries change no final state.
 */
export async function deliver(
  reconciler: Reconciler,
  selection: DeliverySelection,
): Promise<AuditResult> {
  const { trigger, requests: named, children, referred, dropped, reported } = selection;
  const written = [...children, ...referred];
  if (named.length + written.length === 0) {
    // Logs a possible mistake at INFO: the functions differ in KINDS or NAMESPACES, or a name in CLUSTERS is wrong.
    const isOdd = trigger === 'request' || selection.isElsewhere;
    reconciler.log[isOdd ? 'info' : 'debug']('nothing to reconcile', { dropped });
    return { reconcileRequests: [], dropped };
  }
  const arrived = Date.now();
  const run = await reconciler
    .begin(trigger, arrived)
    .catch((error: unknown) => measured(reconciler, { trigger }, () => Promise.reject(error)));
  // Queues in the lane of the written objects' namespace, even if a cluster-scoped resource owns them.
  const laneOfWritten = laneOf(written.map(({ namespace }) => ({ namespaces: [namespace] })));
  const owners =
    written.length === 0
      ? { requests: [], errors: [] }
      : await reconciler.enqueue(arrived, {
          key: ['owners', ...stringsOf(children), 'readers', ...stringsOf(referred)].join(' '),
          lane: laneOfWritten,
          input: undefined,
          act: () => affectedBy(run, reconciler.config, { children, referred }),
        });
  const failure = owners.errors.find((error) => !isFinal(error));
  const drops = countDrops(dropped);
  for (const error of owners.errors) {
    if (isFinal(error)) drops.add('owner not readable');
    reconciler.log.warning('owner not readable', { error: messageOf(error) });
  }
  const requests = withinLists(mergeRequests([...named, ...owners.requests]), reconciler.config);
  const lane = named.length === 0 ? laneOfWritten : undefined;
  const work = { arrived, requests, reported, lane };
  const report = await queueRun(reconciler, run, work);
  if (failure !== undefined) throw failure;
  const result = { reconcileRequests: requests, dropped: drops.counts() };
  if (report === undefined) return result;
  requireFinished(report, reconciler.config.dryRun);
  return { ...result, report: shortened(report) };
}

const stringsOf = (keys: readonly ChildKey[]): readonly string[] =>
  keys.map((key) => JSON.stringify([keyOfReference(key), key.deleted, key.ended])).toSorted();

interface Work extends Pick<DeliverySelection, 'requests' | 'reported'> {
  readonly arrived: number;
  readonly lane: string | undefined;
}

/** A delivery joins a waiting run with the same requests. The run gets the causes of all its deliveries. */
async function queueRun(
  reconciler: Reconciler,
  run: Run,
  { arrived, requests, reported, lane }: Work,
): Promise<Report | undefined> {
  if (requests.length === 0) return undefined;
  const areas = requests.map((request) => areaOf(request, reconciler.config));
  return reconciler.enqueue(arrived, {
    key: `${run.policy.trigger} ${keyOfAreas(areas)}`,
    lane: lane ?? laneOf(areas),
    input: reported,
    act: (inputs, onSettling) => {
      const own = withObserver(causedBy(run, inputs), { onSettling });
      const about = { trigger: run.policy.trigger, eventAgeMs: eventAgeOf(own) };
      return measured(reconciler, about, () => reconcileRequests(reconciler, own, requests));
    },
  });
}

/** Throws if a redelivery may list or begin what this run could not. Leaves resources already begun to the next run. */
function requireFinished({ incomplete, undone, unkept }: Report, dryRun: boolean): void {
  const passing = incomplete.filter(({ transient }) => transient === true);
  if (passing.length > 0) throw listsFailed(passing);
  if (undone.length > 0 && !dryRun)
    throw new RequestFailure(
      'transient',
      `${undone.length} ${undone.length === 1 ? 'resource was' : 'resources were'} not reconciled before the deadline`,
    );
  // Asks for a redelivery, because by then other runs may have released memory.
  if (unkept > 0)
    throw new RequestFailure(
      'transient',
      `${unkept} ${unkept === 1 ? 'resource' : 'resources'} did not fit into memory together with other runs`,
    );
}
