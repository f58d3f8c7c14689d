import type { Scope } from '../scope.ts';
import type { DeliveryId, Envelope } from './envelope.ts';
import { type AuditRecord, recordsOf } from './record.ts';

/** What an envelope says, without the parsed body: much smaller, and read once for all clusters. */
export interface Delivery {
  readonly id: DeliveryId;
  /** Of a Scope message. */
  readonly scope: Scope | undefined;
  /** Why it cannot be understood. */
  readonly problem: string | undefined;
  readonly records: readonly AuditRecord[];
  /** Entries that are not records: reason → how many. */
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
    scope: envelope.kind === 'scope' ? envelope.scope : undefined,
    problem: envelope.kind === 'unintelligible' ? envelope.why : undefined,
    records,
    dropped: drops.counts(),
  };
}

/** Why entries asked for nothing: reason → how many. */
export type DropCounts = Readonly<Record<string, number>>;

/** Distinct reasons that are counted in one delivery; some quote the entry. */
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
