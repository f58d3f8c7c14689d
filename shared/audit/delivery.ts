import type { ReconcileRequest } from '../reconcile-request.ts';
import type { DeliveryId, Envelope } from './envelope.ts';
import { type AuditRecord, type Dropped, readAuditEvent } from './record.ts';

/** The contents of an envelope, read once for all clusters and much smaller than the parsed body. */
export interface Delivery {
  readonly id: DeliveryId;
  /** The reconcile request in a request message. */
  readonly request: ReconcileRequest | undefined;
  /** Says why the envelope cannot be parsed; undefined if it can. */
  readonly problem: string | undefined;
  readonly records: readonly AuditRecord[];
  /** Entries that are not records, counted by reason. */
  readonly dropped: DropCounts;
}

export function deliveryOf(envelope: Envelope): Delivery {
  const drops = countDrops();
  const records: AuditRecord[] = [];
  for (const record of recordsOf(envelope)) {
    if ('dropped' in record) drops.add(record.dropped);
    else records.push(record);
  }
  return {
    id: envelope.delivery,
    request: envelope.kind === 'scope' ? envelope.scope : undefined,
    problem: envelope.kind === 'unintelligible' ? envelope.why : undefined,
    records,
    dropped: drops.counts(),
  };
}

/** The records of an envelope's audit entries, parsed lazily. */
export function recordsOf(envelope: Envelope): Iterable<AuditRecord | Dropped> {
  if (envelope.kind === 'log-entry') return [envelope.record];
  return envelope.kind === 'audit-events' ? envelope.events.values().map(readAuditEvent) : [];
}

/** Entries that need no run, counted by reason. */
export type DropCounts = Readonly<Record<string, number>>;

/** Limits the distinct reasons of one delivery, because some quote the entry. */
const maxReasons = 20;

export function countDrops(before: DropCounts = {}) {
  const counts = new Map(Object.entries(before));
  return {
    add(reason: string): void {
      const isKept = counts.has(reason) || counts.size < maxReasons;
      const key = isKept ? reason : 'other reasons';
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    counts: (): DropCounts => Object.fromEntries(counts),
  };
}
