import type { Delivery, Envelope } from '../shared/audit/envelope.ts';
import { dropReason } from '../shared/audit/filter.ts';
import { type AuditRecord, recordsOf } from '../shared/audit/record.ts';
import { type ChildKey, type Route, routeOf } from '../shared/audit/route.ts';
import type { Cause } from '../shared/plan/attribution.ts';
import { oneLine } from '../shared/printable.ts';
import { areaOf } from '../shared/reconcile/area.ts';
import type { Run } from '../shared/reconcile/run.ts';
import type { Runs } from '../shared/runs.ts';
import { mergeScopes, type Scope } from '../shared/scope.ts';

/** What a delivery asks for, before anything is looked at. */
export interface Asked {
  /** A Scope message is a part of a tick, or somebody's wish. */
  readonly trigger: Run['trigger'];
  readonly scopes: readonly Scope[];
  readonly children: readonly ChildKey[];
  readonly causes: readonly Cause[];
  /** Why entries asked for nothing: reason → how many. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly delivery: Delivery;
  /** Whether the log has it already. */
  readonly isReported: boolean;
}

/** What an envelope asks one cluster for; nothing of the envelope itself is kept. */
export function read({ config, log }: Runs, envelope: Envelope): Asked {
  const { kinds, namespaces, ownIdentity, attributeRepairs } = config;
  const childTypes = kinds.flatMap(({ owns }) => owns);
  const filter = { ownIdentity, namespaces, resourceTypes: kinds, childTypes };
  const drops = new Drops();
  const scopes: Scope[] = [];
  const causes: Cause[] = [];
  const children = new Map<string, ChildKey>();
  const add = (scope: Scope): void => {
    if (areaOf(scope, { kinds, namespaces }).kinds.length > 0) scopes.push(scope);
    else drops.add('outside KINDS and NAMESPACES');
  };
  const isReported = envelope.kind === 'unintelligible';
  if (isReported) {
    drops.add(envelope.why);
    log.warning('delivery not understood', { ...envelope.delivery, error: envelope.why });
  }
  if (envelope.kind === 'scope') add(envelope.scope);
  for (const record of recordsOf(envelope)) {
    const reason = 'dropped' in record ? record.dropped : dropReason(record, filter);
    const route: Route =
      reason === undefined ? routeOf(record as AuditRecord, kinds) : { dropped: reason };
    if ('dropped' in route) drops.add(route.dropped);
    else if ('child' in route) {
      const { type, namespace, name } = route.child;
      children.set(`${type.plural} ${namespace}/${name}`, route.child);
      if (attributeRepairs) causes.push(...causeOf(record as AuditRecord, route.child));
    } else route.scopes.forEach(add);
  }
  return {
    trigger: envelope.kind === 'scope' ? 'tick' : 'audit',
    scopes: mergeScopes(scopes),
    children: [...children.values()],
    causes,
    dropped: drops.counts(),
    delivery: envelope.delivery,
    isReported,
  };
}

/** An entry without a time, or without a user, names nobody. */
function causeOf(record: AuditRecord, { type, namespace, name }: ChildKey): readonly Cause[] {
  const { user, userAgent, verb, time } = record;
  if (user === '' || time === undefined || !isTime(time)) return [];
  const agent = /^[!-.0-~]{1,63}/.exec(userAgent ?? '')?.[0];
  return [{ kind: type.kind, namespace, name, verb, user: oneLine(user, 128), agent, time }];
}

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));

/** Reasons that are told apart in one delivery; some quote what was sent. */
const maxReasons = 20;

/** Counts by reason. */
export class Drops {
  readonly #counts: Map<string, number>;

  constructor(counts: Readonly<Record<string, number>> = {}) {
    this.#counts = new Map(Object.entries(counts));
  }

  add(reason: string): void {
    const isKept = this.#counts.has(reason) || this.#counts.size < maxReasons;
    const key = isKept ? reason : 'other reasons';
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
