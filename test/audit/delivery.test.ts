import { describe, expect, it } from 'vitest';
import { countDrops, deliveryOf, recordsOf } from '../../shared/audit/delivery.ts';
import { readEnvelope } from '../../shared/audit/envelope.ts';
import { auditFormat as format } from '../../shared/google/log-entry.ts';
import { auditEvent, eventList, samples } from './samples.ts';

const read = (body: unknown) => deliveryOf(readEnvelope(body));

describe('deliveryOf', () => {
  it('keeps the records of valid entries, and counts the other entries by reason', () => {
    const found = read(eventList(auditEvent(), 7, auditEvent(), 'x', {}));
    expect(found.records).toHaveLength(2);
    expect(Object.values(found.dropped).reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(found).toMatchObject({ request: undefined, problem: undefined });
  });

  it('reads the reconcile request from a request message', () => {
    const request = { kind: 'foos', namespace: 'a' };
    expect(read({ version: 1, scope: request })).toMatchObject({
      request,
      problem: undefined,
      records: [],
    });
  });

  it('says why an envelope cannot be parsed', () => {
    expect(read('{')).toMatchObject({
      request: undefined,
      problem: 'not a JSON object',
      records: [],
    });
  });
});

describe('countDrops', () => {
  const reasons = Array.from({ length: 25 }, (_, at) => `reason ${at}`);

  it('bounds the number of reasons, and still counts every entry', () => {
    const drops = countDrops();
    for (const reason of [...reasons, ...reasons]) drops.add(reason);
    const counts = drops.counts();
    expect(Object.keys(counts)).toEqual([...reasons.slice(0, 20), 'other reasons']);
    expect(counts).toMatchObject({ 'reason 0': 2, 'reason 19': 2, 'other reasons': 10 });
  });

  it('continues from earlier counts', () => {
    const drops = countDrops({ failed: 3, 'dry-run': 1 });
    drops.add('failed');
    expect(drops.counts()).toEqual({ failed: 4, 'dry-run': 1 });
  });
});

describe('recordsOf', () => {
  it('reads each entry of a batch separately', () => {
    expect([...recordsOf(readEnvelope(eventList(auditEvent(), 5)))]).toMatchObject([
      { plural: 'deployments' },
      { dropped: 'not at stage ResponseComplete' },
    ]);
    expect([...recordsOf(readEnvelope(samples.deploymentPatch, { format }))]).toMatchObject([
      { name: 'foo' },
    ]);
    expect([...recordsOf(readEnvelope({ version: 1, scope: {} }))]).toEqual([]);
  });
});
