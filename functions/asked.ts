import type { Delivery, Envelope } from '../shared/audit/envelope.ts';
import { dropReason } from '../shared/audit/filter.ts';
import { type AuditRecord, recordsOf } from '../shared/audit/record.ts';
import { type ChildKey, type Route, routeOf } from '../shared/audit/route.ts';
import { groupResource } from '../shared/kubernetes.ts';
import type { Cause } from '../shared/plan/cause.ts';
import { oneLine } from '../shared/printable.ts';
import { areaOf } from '../shared/reconcile/area.ts';
import type { Run } from '../shared/reconcile/run.ts';
import type { Runs } from '../shared/runs.ts';
import { mergeScopes, type Scope } from '../shared/scope.ts';

/** What a delivery asks for, before anything is read. */
export interface Asked {
  /** A Scope message is a part of a tick, or a request by hand. */
  readonly trigger: Run['trigger'];
  readonly scopes: readonly Scope[];
  readonly children: readonly ChildKey[];
  readonly causes: readonly Cause[];
  /** Why entries asked for nothing: reason → how many. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly delivery: Delivery;
  /** Whether it is logged already. */
  readonly isReported: boolean;
}

/** What an envelope says, without the parsed body: much smaller, and read once for all clusters. */
export interface Gist {
  readonly delivery: Delivery;
  readonly scope: Scope | undefined;
  /** Why it cannot be understood. */
  readonly why: string | undefined;
  readonly records: readonly AuditRecord[];
  /** Entries that are not records: reason → how many. */
  readonly dropped: Readonly<Record<string, number>>;
}

export function gistOf(envelope: Envelope): Gist {
  const drops = new Drops();
  const records: AuditRecord[] = [];
  for (const record of recordsOf(envelope)) {
    if ('dropped' in record) drops.add(record.dropped);
    else records.push(record);
  }
  return {
    delivery: envelope.delivery,
    scope: envelope.kind === 'scope' ? envelope.scope : undefined,
    why: envelope.kind === 'unintelligible' ? envelope.why : undefined,
    records,
    dropped: drops.counts(),
  };
}

/** What a delivery asks one cluster for. */
export function read({ config, log }: Runs, gist: Gist): Asked {
  const { kinds, namespaces, ownIdentity, attributeRepairs } = config;
  const childTypes = kinds.flatMap(({ owns }) => owns);
  const filter = { ownIdentity, namespaces, resourceTypes: kinds, childTypes };
  const drops = new Drops(gist.dropped);
  const scopes: Scope[] = [];
  const causes: Cause[] = [];
  const children = new Map<string, ChildKey>();
  const add = (scope: Scope): void => {
    if (areaOf(scope, { kinds, namespaces }).kinds.length > 0) scopes.push(scope);
    else drops.add('outside KINDS and NAMESPACES');
  };
  const isReported = gist.why !== undefined;
  if (gist.why !== undefined) {
    drops.add(gist.why);
    log.warning('delivery not understood', { ...gist.delivery, error: gist.why });
  }
  if (gist.scope !== undefined) add(gist.scope);
  for (const record of gist.records) {
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
  return {
    trigger: gist.scope === undefined ? 'audit' : 'scope',
    scopes: mergeScopes(scopes),
    children: [...children.values()],
    causes,
    dropped: drops.counts(),
    delivery: gist.delivery,
    isReported,
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

/** Distinct reasons that are counted in one delivery; some quote the entry. */
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
