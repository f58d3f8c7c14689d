import pMap from 'p-map';
import type { Envelope } from '../shared/audit/envelope.ts';
import { dropReason } from '../shared/audit/filter.ts';
import { type AuditRecord, type Dropped, recordsOf } from '../shared/audit/record.ts';
import { type ChildKey, routeOf } from '../shared/audit/route.ts';
import type { Cause } from '../shared/plan/attribution.ts';
import { areaOf } from '../shared/reconcile/area.ts';
import type { Report } from '../shared/reconcile/report.ts';
import { resourcesOf } from '../shared/reconcile/route.ts';
import type { Runs } from '../shared/runs.ts';
import { mergeScopes, type Scope } from '../shared/scope.ts';
import { runResync } from './run-resync.ts';

export interface Heard {
  readonly scopes: readonly Scope[];
  /** Why entries asked for nothing: reason → how many. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly reports: readonly Report[];
}

const scopesAtOnce = 4;

/**
 * A delivery of audit entries, or of a Scope message: looks at just the resources concerned.
 *
 * Guarantees: what an entry says of an object is never state, only where to look; what cannot be
 * understood is acknowledged, counted and logged; losing, doubling or reordering deliveries changes
 * no final state.
 */
export async function handleAudit(runs: Runs, envelope: Envelope): Promise<Heard> {
  const dropped: Record<string, number> = {};
  const drop = (reason: string): void => {
    dropped[reason] = (dropped[reason] ?? 0) + 1;
  };
  if (envelope.kind === 'unintelligible') {
    drop(envelope.why);
    runs.log.warning('delivery not understood', { ...envelope.delivery, error: envelope.why });
  }
  const { scopes: found, causes } =
    envelope.kind === 'scope'
      ? { scopes: [envelope.scope], causes: [] }
      : await scopesOf(runs, recordsOf(envelope), drop);
  const { kinds, namespaces } = runs.config;
  const scopes = mergeScopes(found).filter(
    (scope) => areaOf(scope, { kinds, namespaces }).kinds.length > 0,
  );
  // A Scope message is a part of a tick, or somebody's wish.
  const trigger = envelope.kind === 'scope' ? 'tick' : 'audit';
  const reports = await finishAll(scopes, async (scope) =>
    runResync(runs, { ...(await runs.begin(trigger)), causes }, scope),
  );
  return { scopes, dropped, reports };
}

async function scopesOf(
  runs: Runs,
  records: readonly (AuditRecord | Dropped)[],
  drop: (reason: string) => void,
): Promise<{ readonly scopes: readonly Scope[]; readonly causes: readonly Cause[] }> {
  const { kinds, ownIdentity } = runs.config;
  const filter = {
    ownIdentity,
    resourceTypes: kinds,
    childTypes: kinds.flatMap(({ owns }) => owns),
  };
  const scopes: Scope[] = [];
  const causes: Cause[] = [];
  const children = new Map<string, ChildKey>();
  for (const record of records) {
    const reason = 'dropped' in record ? record.dropped : dropReason(record, filter);
    const route =
      reason === undefined ? routeOf(record as AuditRecord, kinds) : { dropped: reason };
    if ('dropped' in route) drop(route.dropped);
    else if ('child' in route) {
      children.set(JSON.stringify(route.child), route.child);
      causes.push(...causeOf(record as AuditRecord, route.child));
    } else scopes.push(...route.scopes);
  }
  if (children.size === 0) return { scopes, causes };
  const run = await runs.begin('audit');
  const owners = await finishAll([...children.values()], (child) => resourcesOf(run, kinds, child));
  return { scopes: [...scopes, ...owners.flat()], causes };
}

/** An entry without a time, or without a user, names nobody. */
function causeOf(record: AuditRecord, { type, namespace, name }: ChildKey): readonly Cause[] {
  const { user, userAgent, verb, time } = record;
  if (user === '' || time === undefined || Number.isNaN(Date.parse(time))) return [];
  const agent = /^[^\s/]{1,63}/.exec(userAgent ?? '')?.[0];
  return [{ kind: type.kind, namespace, name, verb, user, agent, time }];
}

/** The first failure is told once all have ended: after the answer an instance may get no more time. */
async function finishAll<T, R>(
  items: readonly T[],
  act: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  try {
    return await pMap(items, act, { concurrency: scopesAtOnce, stopOnError: false });
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}
