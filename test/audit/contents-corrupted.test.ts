import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sinkConditions, sinkRefusal } from '../../infra/generate/audit/sink-filter.ts';
import { logEntryOf } from '../../infra/start/audit-relay/log-entry.ts';
import { readDelivery } from '../../shared/audit/delivery.ts';
import { MalformedError } from '../../shared/audit/json-text.ts';
import { type AuditRecord, readAuditEvent } from '../../shared/audit/record.ts';
import { routeOf } from '../../shared/audit/route.ts';
import { auditFormat as format, readLogEntry } from '../../shared/google/log-entry.ts';
import { mergeRequests, parseRequest } from '../../shared/reconcile-request.ts';
import { auditEvent, eventList, kinds, samples } from './samples.ts';
import { senders } from './senders.ts';

const cluster = { project: 'demo', location: 'us-central1', cluster: 'main' };
const sink = sinkConditions(kinds, { ...cluster, ownIdentity: ['own'], namespaces: undefined });
const types = kinds.flatMap((kind) => [{ ...kind, version: 'v1' }, ...kind.owns]);
const options = { ownIdentity: ['own'], kinds };

/** Reads the entries of a body; empty if the body is not JSON. */
function recordsIn(body: unknown): readonly AuditRecord[] {
  try {
    return readDelivery(body, { format, types }).records;
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedError);
    return [];
  }
}

function walk(body: unknown): void {
  for (const record of [...recordsIn(body), readLogEntry(body), readAuditEvent(body)]) {
    if ('dropped' in record) continue;
    const route = routeOf(record, options);
    if ('requests' in route) mergeRequests(route.requests);
  }
  parseRequest(body);
  sinkRefusal(sink, body);
  logEntryOf(body, { ...cluster, receivedAt: '' });
}

const deepList: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
const deepObject: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);

/** Replaces one random value inside a sample, so that the envelope still looks valid. */
const spoiltBy = (junk: fc.Arbitrary<unknown>) =>
  fc
    .tuple(
      fc.constantFrom(
        ...Object.values(samples),
        auditEvent(),
        eventList(auditEvent()),
        { message: { data: '' }, deliveryAttempt: 1 },
        ...Object.values(senders).map(({ body }) => body),
        { version: 1, request: { kind: 'foos', namespace: 'a', name: 'x' } },
      ),
      fc.nat(),
      junk,
    )
    .map(([sample, at, junk]) => {
      const text = JSON.stringify(sample);
      let nodes = 0;
      const count = (_: string, value: unknown): unknown => {
        nodes++;
        return value;
      };
      JSON.parse(text, count);
      let place = 0;
      return JSON.parse(text, (_, value) => (place++ === at % nodes ? junk : value));
    });

const spoilt = spoiltBy(fc.jsonValue());
const extreme = spoiltBy(fc.constantFrom(deepList, deepObject, 'x'.repeat(100_000)));

it('accepts any JSON value, any text, and any sample with one part corrupted', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json());
  fc.assert(fc.property(fc.jsonValue(), walk), { numRuns: 500 });
  fc.assert(fc.property(text, walk), { numRuns: 500 });
  fc.assert(fc.property(spoilt, walk), { numRuns: 2000 });
  fc.assert(fc.property(extreme, walk), { numRuns: 50 });
  fc.assert(
    fc.property(
      fc.oneof(
        spoilt.map((value) => JSON.stringify(value)),
        text,
      ),
      (data) => walk({ message: { data: Buffer.from(data).toString('base64') } }),
    ),
    { numRuns: 500 },
  );
});

it.each([
  '{"toString":1,"valueOf":1}',
  '{"protoPayload":{"serviceName":"k8s.io","methodName":"io.k8s.core.v1.pods.get","resourceName":"core/v1/pods","status":{"code":{"toString":1,"valueOf":1}}}}',
  '{"protoPayload":{"serviceName":"k8s.io","methodName":{"includes":1},"resourceName":[]}}',
  '{"request":{"__proto__":"x","constructor":"y"},"version":1}',
  '{"apiVersion":"audit.k8s.io/v1","kind":"EventList","items":[null,[],"x",{"stage":"ResponseComplete","objectRef":7}]}',
])('accepts %s without an exception', (text) => {
  walk(text);
  expect(() => walk(JSON.parse(text))).not.toThrow();
});
