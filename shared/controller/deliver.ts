import { countDrops, type Delivery, type DropCounts } from '../audit/delivery.ts';
import { dropReason } from '../audit/filter.ts';
import type { AuditRecord } from '../audit/record.ts';
import { type ChildKey, type Route, routeOf } from '../audit/route.ts';
import { isFinal, messageOf } from '../cluster/errors.ts';
import { groupResource } from '../kubernetes.ts';
import type { Cause } from '../plan/cause.ts';
import { oneLine } from '../printable.ts';
import { areaOf, keyOfAreas, laneOf } from '../reconcile/area.ts';
import { type Owners, ownersOf } from '../reconcile/owners-of-child.ts';
import type { Report } from '../reconcile/report.ts';
import type { Run } from '../reconcile/run.ts';
import { withinLists } from '../reconcile/within-lists.ts';
import { mergeScopes, type Scope } from '../scope.ts';
import { ListsFailedError, UnfinishedError } from './errors.ts';
import { type Reconciler, reconcileScopes } from './reconciler.ts';

/** What a delivery asks of one cluster, before anything is read. */
export interface DeliveryRequest {
  /** A Scope message is a part of a tick, or a request by hand. */
  readonly trigger: 'scope' | 'audit';
  readonly scopes: readonly Scope[];
  readonly children: readonly ChildKey[];
  readonly causes: readonly Cause[];
  readonly dropped: DropCounts;
}

/** The answer to a delivery. */
export interface AuditResult {
  readonly scopes: readonly Scope[];
  readonly dropped: DropCounts;
  /** Of the one run over all scopes; absent where there was nothing to reconcile. */
  readonly report?: Report;
}

/** Filters and routes the entries of a delivery for one cluster. */
export function requestFor({ config, log }: Reconciler, delivery: Delivery): DeliveryRequest {
  const { kinds, namespaces, ownIdentity, attributeRepairs } = config;
  const childTypes = kinds.flatMap(({ owns }) => owns);
  const filter = { ownIdentity, namespaces, resourceTypes: kinds, childTypes };
  const drops = countDrops(delivery.dropped);
  const scopes: Scope[] = [];
  const causes: Cause[] = [];
  const children = new Map<string, ChildKey>();
  const add = (scope: Scope): void => {
    if (areaOf(scope, config).kinds.length > 0) scopes.push(scope);
    else drops.add('outside KINDS and NAMESPACES');
  };
  if (delivery.scope !== undefined) add(delivery.scope);
  for (const record of delivery.records) {
    const reason = dropReason(record, filter);
    const route: Route = reason === undefined ? routeOf(record, kinds) : { dropped: reason };
    if ('dropped' in route) drops.add(route.dropped);
    else if ('child' in route) {
      const { type, namespace, name } = route.child;
      const key = `${groupResource(type)} ${namespace}/${name}`;
      children.set(key, { ...children.get(key), ...route.child });
      if (attributeRepairs) causes.push(...causeOf(record, route.child));
    } else route.scopes.forEach(add);
  }
  if (delivery.problem !== undefined) {
    drops.add(delivery.problem);
    log.warning('delivery not understood', { ...delivery.id, error: delivery.problem });
  } else if (scopes.length === 0 && children.size === 0)
    log.debug('nothing to look at', { ...delivery.id, dropped: drops.counts() });
  return {
    trigger: delivery.scope === undefined ? 'audit' : 'scope',
    scopes: mergeScopes(scopes),
    children: [...children.values()],
    causes,
    dropped: drops.counts(),
  };
}

/** An entry without a time, or without a user, attributes nothing. */
function causeOf(record: AuditRecord, { type, namespace, name }: ChildKey): readonly Cause[] {
  const { user, userAgent, verb, time } = record;
  if (user === '' || time === undefined || !isTime(time)) return [];
  const agent = /^[!-.0-~]{1,63}/.exec(userAgent ?? '')?.[0];
  return [{ kind: type.kind, namespace, name, verb, user: oneLine(user, 128), agent, time }];
}

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));

/**
 * Reconciles what a delivery asks for in one run over the resources concerned; it joins a waiting run
 * over the same scopes.
 *
 * Guarantees: an entry's contents are never state, only a place to read; what cannot be
 * understood, or read, is acknowledged, counted and logged, and affects nothing else; an error
 * says that the same delivery may succeed later; losing, doubling or reordering deliveries changes
 * no final state.
 */
export async function deliver(
  reconciler: Reconciler,
  request: DeliveryRequest,
): Promise<AuditResult> {
  const { scopes: named, children, dropped } = request;
  if (named.length === 0 && children.length === 0) return { scopes: [], dropped };
  const arrived = Date.now();
  const run = await reconciler.begin(request.trigger, arrived);
  const owners = await findOwners(reconciler, { run, arrived, children });
  const failure = owners.errors.find((error) => !isFinal(error));
  const drops = countDrops(dropped);
  for (const error of owners.errors) {
    if (isFinal(error)) drops.add('owner not readable');
    reconciler.log.warning('owner not readable', { error: messageOf(error) });
  }
  const scopes = withinLists(mergeScopes([...named, ...owners.scopes]), reconciler.config);
  const report = await reconcileOnce(reconciler, { ...request, run, arrived, scopes });
  if (failure !== undefined) throw failure;
  if (report !== undefined) requireFinished(report, reconciler.config.dryRun);
  return {
    scopes,
    dropped: drops.counts(),
    ...(report === undefined ? {} : { report }),
  };
}

/** The run of a request, and when that arrived. */
interface Begun {
  readonly run: Run;
  readonly arrived: number;
}

async function findOwners(
  { enqueue, config }: Reconciler,
  { run, arrived, children }: Begun & Pick<DeliveryRequest, 'children'>,
): Promise<Owners> {
  if (children.length === 0) return { scopes: [], errors: [] };
  return enqueue(arrived, {
    key: ['owners', ...children.map((child) => JSON.stringify(child)).toSorted()].join(' '),
    lane: laneOf(children.map(({ namespace }) => ({ namespaces: [namespace] }))),
    input: undefined,
    act: () => ownersOf(run, config.kinds, children),
  });
}

async function reconcileOnce(
  reconciler: Reconciler,
  { run, arrived, scopes, causes }: Begun & Pick<DeliveryRequest, 'scopes' | 'causes'>,
): Promise<Report | undefined> {
  if (scopes.length === 0) return undefined;
  const areas = scopes.map((scope) => areaOf(scope, reconciler.config));
  return reconciler.enqueue(arrived, {
    key: `${run.trigger} ${keyOfAreas(areas)}`,
    lane: laneOf(areas),
    input: causes,
    act: (inputs, onSettling) =>
      reconcileScopes(reconciler, { ...run, causes: inputs.flat() }, { scopes, onSettling }),
  });
}

/** Throws where a second delivery may do what this run did not. */
function requireFinished({ incomplete, undone, unkept }: Report, dryRun: boolean): void {
  const passing = incomplete.filter(({ transient }) => transient === true);
  if (passing.length > 0) throw new ListsFailedError(passing);
  if (undone.length > 0 && !dryRun)
    throw new UnfinishedError(`${undone.length} resources are left undone: the time is over`);
  // Other runs give their memory back, if not this namespace's objects: those the next tick reports.
  if (unkept > 0)
    throw new UnfinishedError(`${unkept} resources did not fit into memory beside other runs`);
}
