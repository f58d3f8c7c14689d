import pMap from 'p-map';
import type { Envelope } from '../shared/audit/envelope.ts';
import { dropReason } from '../shared/audit/filter.ts';
import { type AuditRecord, recordsOf } from '../shared/audit/record.ts';
import { type ChildKey, routeOf } from '../shared/audit/route.ts';
import { DeadlineError, isFinal, messageOf } from '../shared/cluster/errors.ts';
import type { Cause } from '../shared/plan/attribution.ts';
import { areaOf } from '../shared/reconcile/area.ts';
import type { Report } from '../shared/reconcile/report.ts';
import { resourcesOf } from '../shared/reconcile/route.ts';
import type { Run } from '../shared/reconcile/run.ts';
import type { Runs } from '../shared/runs.ts';
import { mergeScopes, type Scope } from '../shared/scope.ts';
import { nothingSeen } from './nothing-seen.ts';
import { runResync } from './run-resync.ts';

export interface Heard {
  readonly scopes: readonly Scope[];
  /** Why entries asked for nothing: reason → how many. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Of the one run over all scopes; absent where there was nothing to look at. */
  readonly report?: Report;
}

/**
 * A delivery of audit entries, or of a Scope message: one run looks at just the resources concerned.
 *
 * Guarantees: what an entry says of an object is never state, only where to look; what cannot be
 * understood, or read, is acknowledged, counted and logged, and hinders nothing beside it; an error
 * says that the same delivery may succeed later; losing, doubling or reordering deliveries changes
 * no final state.
 */
export async function handleAudit(runs: Runs, envelope: Envelope): Promise<Heard> {
  const dropped: Record<string, number> = {};
  const drop: Drop = (reason) => {
    dropped[reason] = (dropped[reason] ?? 0) + 1;
  };
  const { scopes: named, children, causes } = read(runs, envelope, drop);
  if (named.length === 0 && children.length === 0) {
    if (envelope.kind !== 'unintelligible')
      runs.log.debug('nothing to look at', { ...envelope.delivery, dropped });
    return { scopes: [], dropped };
  }
  // A Scope message is a part of a tick, or somebody's wish.
  const run = await runs.begin(envelope.kind === 'scope' ? 'tick' : 'audit');
  const owners = await ownersOf(runs, run, { children, drop });
  const scopes = mergeScopes([...named, ...owners.scopes]);
  const report =
    scopes.length === 0 ? undefined : await runResync(runs, { ...run, causes }, scopes);
  if (owners.failure !== undefined) throw owners.failure;
  if (report === undefined) return { scopes, dropped };
  const unseen = report.incomplete.filter(({ transient }) => transient === true);
  if (unseen.length > 0) throw nothingSeen(unseen);
  if (report.undone.length > 0 && !runs.config.dryRun)
    throw new DeadlineError(`${report.undone.length} resources are left undone: the time is over`);
  return { scopes, dropped, report };
}

type Drop = (reason: string) => void;

/** What a delivery asks for, before anything is looked at. */
interface Asked {
  readonly scopes: readonly Scope[];
  readonly children: readonly ChildKey[];
  readonly causes: readonly Cause[];
}

function read({ config, log }: Runs, envelope: Envelope, drop: Drop): Asked {
  const { kinds, namespaces, ownIdentity } = config;
  const childTypes = kinds.flatMap(({ owns }) => owns);
  const filter = { ownIdentity, namespaces, resourceTypes: kinds, childTypes };
  const scopes: Scope[] = [];
  const causes: Cause[] = [];
  const children = new Map<string, ChildKey>();
  const add = (scope: Scope): void => {
    if (areaOf(scope, { kinds, namespaces }).kinds.length > 0) scopes.push(scope);
    else drop('outside KINDS and NAMESPACES');
  };
  if (envelope.kind === 'unintelligible') {
    drop(envelope.why);
    log.warning('delivery not understood', { ...envelope.delivery, error: envelope.why });
  }
  if (envelope.kind === 'scope') add(envelope.scope);
  for (const record of recordsOf(envelope)) {
    const reason = 'dropped' in record ? record.dropped : dropReason(record, filter);
    const route =
      reason === undefined ? routeOf(record as AuditRecord, kinds) : { dropped: reason };
    if ('dropped' in route) drop(route.dropped);
    else if ('child' in route) {
      children.set(JSON.stringify(route.child), route.child);
      causes.push(...causeOf(record as AuditRecord, route.child));
    } else route.scopes.forEach(add);
  }
  return { scopes, children: [...children.values()], causes };
}

/** An entry without a time, or without a user, names nobody. */
function causeOf(record: AuditRecord, { type, namespace, name }: ChildKey): readonly Cause[] {
  const { user, userAgent, verb, time } = record;
  if (user === '' || time === undefined || Number.isNaN(Date.parse(time))) return [];
  const agent = /^[^\s/]{1,63}/.exec(userAgent ?? '')?.[0];
  return [{ kind: type.kind, namespace, name, verb, user, agent, time }];
}

/** Whose the children are; `failure` is the first that may pass by itself. */
async function ownersOf(
  { config, log }: Runs,
  run: Run,
  { children, drop }: { readonly children: readonly ChildKey[]; readonly drop: Drop },
): Promise<{ readonly scopes: readonly Scope[]; readonly failure?: unknown }> {
  const failures: unknown[] = [];
  const find = async (child: ChildKey): Promise<readonly Scope[]> => {
    try {
      return await resourcesOf(run, config.kinds, child);
    } catch (error) {
      if (!isFinal(error)) failures.push(error);
      else drop('owner not readable');
      log.warning('owner not readable', { error: messageOf(error) });
      return [];
    }
  };
  const { concurrency } = config;
  const scopes = (await pMap(children, find, { concurrency })).flat();
  return failures.length === 0 ? { scopes } : { scopes, failure: failures[0] };
}
