import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { type Delivery, readDelivery } from '../../shared/audit/delivery.ts';
import type { Headers } from '../../shared/audit/envelope.ts';
import { MalformedError } from '../../shared/audit/json-text.ts';
import { readAuditEvent } from '../../shared/audit/record.ts';
import { auditFormat as format, readLogEntry } from '../../shared/google/log-entry.ts';
import { casesOf } from '../support/cases.ts';
import { auditEvent, eventList, samples } from './samples.ts';

const entry = samples.deploymentPatch;

/** The expected contents of a delivery; empty by default. */
interface Want extends Partial<Omit<Delivery, 'records'>> {
  readonly records?: readonly object[];
}
const clusters = ['main', 'demo/us-central1/main'];
const read: Want = { records: [{ ...readLogEntry(entry), clusters }] };
const problem = (why: string): Want => ({ problem: why, dropped: { [why]: 1 } });
const unknown = (fields: string): Want =>
  problem(
    `expected a log entry, audit events or a request message, but found an object with ${fields}`,
  );
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const push = (value: unknown, more: object = {}): object => ({
  message: { data: base64(value), attributes: {}, messageId: '7', publishTime: '' },
  subscription: 'projects/demo/subscriptions/audit',
  ...more,
});

interface Case {
  readonly reason: string;
  readonly given: unknown;
  readonly headers?: Headers;
  readonly want: Want;
}

const cases: Record<string, Case> = {
  EventarcPubSub: {
    reason: 'format A: a binary CloudEvent carries a Pub/Sub push body and has ce- headers',
    given: push(entry),
    headers: { 'ce-id': '7', 'ce-type': 'google.cloud.pubsub.topic.v1.messagePublished' },
    want: read,
  },
  PushSubscription: {
    reason: 'format B: a Pub/Sub push without ce- headers',
    given: push(entry, { deliveryAttempt: 3 }),
    want: read,
  },
  PushMadeCloudEvent: {
    reason: 'format B: the framework converts a push to a CloudEvent with the message under data',
    given: { specversion: '1.0', id: '7', type: 't', data: { message: { data: base64(entry) } } },
    want: read,
  },
  EventarcAudit: {
    reason: 'format C: the body of a binary CloudEvent is the log entry',
    given: entry,
    headers: { 'ce-id': 'x', 'ce-type': 'google.cloud.audit.log.v1.written' },
    want: read,
  },
  StructuredAudit: {
    reason: 'format C as a structured CloudEvent',
    given: { specversion: '1.0', id: 'x', data: entry },
    want: read,
  },
  StructuredText: {
    reason: 'format C with its data as text',
    given: { specversion: '1.0', id: 'x', data: JSON.stringify(entry) },
    want: read,
  },
  StructuredBase64: {
    reason: 'format C with its data in base64, which may be a Pub/Sub push',
    given: { specversion: '1.0', id: 'x', data_base64: base64(push(entry)) },
    want: read,
  },
  ByteOrderMark: {
    reason: 'a byte order mark before JSON is ignored',
    given: { message: { data: Buffer.from(`\uFEFF${JSON.stringify(entry)}`).toString('base64') } },
    want: read,
  },
  MarkInText: {
    reason: 'a byte order mark inside a string is kept',
    given: JSON.stringify({ ...entry, timestamp: 'a\uFEFFb' }),
    want: { records: [{ ...readLogEntry(entry), clusters, time: 'a\uFEFFb' }] },
  },
  DamagedLine: {
    reason: 'a writer that crashed leaves an incomplete line in the middle of a file',
    given: `{"kind":"Ev\n${JSON.stringify(entry)}\n5\n${JSON.stringify(entry)}`,
    want: {
      ...read,
      records: [...(read.records ?? []), ...(read.records ?? [])],
      problem: 'expected a JSON object or a list of JSON objects',
      dropped: { 'expected a JSON object or a list of JSON objects': 2 },
    },
  },
  LineSeparator: {
    reason: 'JSON may contain U+2028 unescaped, which does not end a line',
    given: `${JSON.stringify({ ...entry, timestamp: 'a\u2028b' })}\n${JSON.stringify(entry)}`,
    want: {
      records: [{ ...readLogEntry(entry), clusters, time: 'a\u2028b' }, ...(read.records ?? [])],
    },
  },
  NamesAreObjects: {
    reason: 'a log group and a cluster may have any name',
    given: [
      { messageType: 'DATA_MESSAGE', logGroup: { toString: 1 }, logEvents: [] },
      { category: 'kube-audit', resourceId: { toString: 1 }, properties: { log: '[]' } },
      entry,
    ],
    want: read,
  },
  UnwrappedPush: {
    reason: 'an unwrapped Pub/Sub push has the message as text and its metadata in headers',
    given: JSON.stringify(entry),
    want: read,
  },
  SchedulerPost: {
    reason: 'format D: a resync request is for the resync function',
    given: {},
    headers: { 'user-agent': 'Google-Cloud-Scheduler', 'x-cloudscheduler': 'true' },
    want: unknown('no fields'),
  },
  AuditWebhook: {
    reason: 'a kube-apiserver sends an EventList',
    given: eventList(auditEvent(), 5),
    want: {
      records: [readAuditEvent(auditEvent())],
      dropped: { 'not at stage ResponseComplete': 1 },
    },
  },
  SingleAuditEvent: {
    reason: 'a single Event outside of a list is accepted',
    given: { kind: 'Event', apiVersion: 'audit.k8s.io/v1', ...auditEvent() },
    want: { records: [readAuditEvent(auditEvent())] },
  },
  OldAuditWebhook: {
    reason: 'the error names an audit.k8s.io version that is not supported',
    given: { kind: 'EventList', apiVersion: 'audit.k8s.io/v1beta1', items: [] },
    want: problem('only audit.k8s.io/v1 is read'),
  },
  OtherApiGroup: {
    reason: 'a list of Kubernetes Events is not a list of audit events',
    given: { kind: 'EventList', apiVersion: 'v1', items: [] },
    want: unknown('the fields "kind", "apiVersion", "items"'),
  },
  OtherAuditList: {
    reason: 'another kind of the audit group is refused, even if it has items',
    given: { kind: 'PolicyList', apiVersion: 'audit.k8s.io/v1', items: [] },
    want: problem('an audit.k8s.io/v1 object must be an Event or an EventList with items'),
  },
  AuditPolicy: {
    reason: 'another kind of the audit group is refused',
    given: { kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules: [] },
    want: problem('an audit.k8s.io/v1 object must be an Event or an EventList with items'),
  },
  RequestMessage: {
    reason: 'a resync request may come as a Pub/Sub message',
    given: push({ version: 1, request: { namespace: 'team-a' } }),
    want: { requests: [{ request: { namespace: 'team-a' } }] },
  },
  BareRequestMessage: {
    reason: 'a request message that was posted by hand has no Pub/Sub wrapper',
    given: { version: 1, request: {} },
    want: { requests: [{ request: {} }] },
  },
  RequestForCluster: {
    reason: 'one deployment may serve several clusters',
    given: push({ version: 1, request: {}, cluster: 'main' }),
    want: { requests: [{ request: {}, clusters: ['main'] }] },
  },
  ClusterIsNoName: {
    reason: 'an invalid cluster name does not select all clusters',
    given: { version: 1, request: {}, cluster: 5 },
    want: problem('the cluster of a request message must be a name'),
  },
  BadRequest: {
    reason: 'the error names the invalid field',
    given: { version: 1, request: { name: 'x' } },
    want: problem('name requires kind'),
  },
  FutureRequest: {
    reason: 'a message of a later version is refused',
    given: { version: 2, request: {} },
    want: problem('only request messages of version 1 are read'),
  },
  NoData: {
    reason: 'a Pub/Sub message without data is refused',
    given: { message: { attributes: { a: 'b' }, messageId: '7' } },
    want: problem('the message has no data; is the subscription on the topic of the audit sink?'),
  },
  DataIsNoJson: {
    reason: 'the base64 data is not JSON',
    given: { message: { data: '////', messageId: '7' } },
    want: problem('text that is not JSON'),
  },
  OtherLogEntry: {
    reason: 'a log entry that is not an audit entry is refused',
    given: push({ logName: 'projects/demo/logs/x', textPayload: 'hello' }),
    want: unknown('the fields "logName", "textPayload"'),
  },
  Bytes: {
    reason: 'a raw body is parsed as JSON',
    given: Buffer.from(JSON.stringify(entry)),
    want: read,
  },
};

describe('readDelivery', () => {
  it('without a platform format, accepts neither Pub/Sub messages nor log entries', () => {
    for (const given of [entry, push(entry)])
      expect(readDelivery(given)).toMatchObject({
        records: [],
        problem: expect.stringContaining('expected a log entry'),
      });
    expect(readDelivery({ version: 1, request: {} })).toMatchObject({
      requests: [{ request: {} }],
    });
  });

  it.each(casesOf(cases))('%s', (_, { given, headers = {}, want }) => {
    const nothing = { requests: [], records: [], problem: undefined, dropped: {} };
    expect(readDelivery(given, { format, headers })).toEqual({ ...nothing, ...want });
  });

  it.each([undefined, null, 5, true, '', 'junk', '5', '"text"', new Uint8Array(), '5\n6', 'a\nb'])(
    'refuses a body that is neither an object nor a list: %j',
    (body) => expect(() => readDelivery(body)).toThrow(MalformedError),
  );
});
