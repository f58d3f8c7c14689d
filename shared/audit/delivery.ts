import { type AddressedRequest, contentsOf, type Source } from './contents.ts';
import type { AuditRecord } from './record.ts';

export interface Delivery {
  readonly requests: readonly AddressedRequest[];
  readonly records: readonly AuditRecord[];
  readonly problem: string | undefined;
  readonly dropped: DropCounts;
}

const maxContents = 20_000;

export function readDelivery(body: unknown, source: Source = {}): Delivery {
  const drops = countDrops();
  const requests: AddressedRequest[] = [];
  const records: AuditRecord[] = [];
  let problem: string | undefined;
  const refuse = (why: string): void => {
    problem ??= why;
    drops.add(why);
  };
  let left = maxContents;
  for (const value of contentsOf(body, source)) {
    if (left-- === 0) {
      refuse(`more than ${maxContents} entries; send smaller batches`);
      break;
    }
    if ('request' in value) requests.push(value);
    else if ('dropped' in value) drops.add(value.dropped);
    else if ('problem' in value) refuse(value.problem);
    else records.push(value);
  }
  return { requests, records, problem, dropped: drops.counts() };
}

export type DropCounts = Readonly<Record<string, number>>;

/** The maximum number of reasons to count: a reason may quote the dropped entry, so all may be different. */
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
