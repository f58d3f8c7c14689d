import { describe, expect, it } from 'vitest';
import { countDrops, readDelivery } from '../../shared/audit/delivery.ts';
import { auditEvent, eventList } from './samples.ts';

describe('readDelivery', () => {
  it('keeps the records of valid entries, and counts the other entries by reason', () => {
    const found = readDelivery(eventList(auditEvent(), 7, auditEvent(), 'x', {}));
    expect(found.records).toHaveLength(2);
    expect(Object.values(found.dropped).reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(found).toMatchObject({ requests: [], problem: undefined });
  });

  it('reads the reconcile request from a request message', () => {
    const request = { kind: 'foos', namespace: 'a' };
    expect(readDelivery({ version: 1, request })).toMatchObject({
      requests: [{ request }],
      problem: undefined,
      records: [],
    });
  });
});

describe('countDrops', () => {
  const reasons = Array.from({ length: 25 }, (_, at) => `reason ${at}`);

  it('limits the number of reasons, and still counts every entry', () => {
    const drops = countDrops();
    for (const reason of [...reasons, ...reasons]) drops.add(reason);
    const counts = drops.counts();
    expect(Object.keys(counts)).toEqual([...reasons.slice(0, 20), 'other reasons']);
    expect(counts).toMatchObject({ 'reason 0': 2, 'reason 19': 2, 'other reasons': 10 });
  });

  it('adds to earlier counts', () => {
    const drops = countDrops({ failed: 3, 'dry-run': 1 });
    drops.add('failed');
    expect(drops.counts()).toEqual({ failed: 4, 'dry-run': 1 });
  });
});
