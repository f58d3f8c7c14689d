import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { auditEvent } from './samples.ts';

/** An audit Event as a line of the API server's log. */
const line = (override = {}): string =>
  JSON.stringify({ kind: 'Event', apiVersion: 'audit.k8s.io/v1', ...auditEvent(override) });
const compressed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString('base64');

/** The document that CloudWatch Logs sends for a log group of EKS. */
const logGroup = {
  messageType: 'DATA_MESSAGE',
  owner: '123456789012',
  logGroup: '/aws/eks/main/cluster',
  logStream: 'kube-apiserver-audit-0123456789abcdef0123456789abcdef',
  subscriptionFilters: ['reconciler'],
  logEvents: [
    {
      id: '34622316099697884706540976068822859012661220141643892546',
      timestamp: 1,
      message: line(),
    },
  ],
};

/** A record that AKS sends by a diagnostic setting. */
const resourceLog = {
  operationName: 'Microsoft.ContainerService/managedClusters/diagnosticLogs/Read',
  category: 'kube-audit-admin',
  ccpNamespace: '65f1b5d1e1d2c40001a1a1a1',
  resourceId:
    '/SUBSCRIPTIONS/0/RESOURCEGROUPS/G/PROVIDERS/MICROSOFT.CONTAINERSERVICE/MANAGEDCLUSTERS/MAIN',
  properties: { log: `${line()}\n`, stream: 'stdout', pod: 'kube-apiserver-5d8f-x2k4q' },
  time: '2026-11-20T20:19:27.0000000Z',
  Cloud: 'AzureCloud',
  Environment: 'prod',
};

const cloudEvent = (data: unknown, more = {}): object => ({
  specversion: '1.0',
  id: 'x',
  source: 'https://10.0.0.1:443',
  type: 'dev.knative.apiserver.ref.update',
  time: '2026-11-20T20:19:26.819Z',
  datacontenttype: 'application/json',
  data,
  ...more,
});
const reference = { kind: 'Deployment', namespace: 'default', name: 'foo', apiVersion: 'apps/v1' };

interface Sender {
  /** The publication of the format. */
  readonly source: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The clusters that the sender names, if any. */
  readonly clusters?: readonly string[];
  /** Set if the sender names neither user nor request. */
  readonly isWatch?: true;
}

const awsLambda = 'https://docs.aws.amazon.com/lambda/latest/dg/services-cloudwatchlogs.html';
const firehose = 'https://docs.aws.amazon.com/firehose/latest/dev/httpdeliveryrequestresponse.html';
const kinesis = 'https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html';
const azure = 'https://learn.microsoft.com/en-us/azure/azure-monitor/platform/resource-logs-schema';
const fluentBit = 'https://docs.fluentbit.io/manual/data-pipeline/outputs/output_formats';
const vector = 'https://vector.dev/docs/reference/configuration/sinks/http/';
const cloudEvents =
  'https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md';
const knative = 'knative.dev/eventing v0.47.0, pkg/adapter/apiserver/events/events.go';

/** One update of the Deployment foo in the namespace default, as each sender reports it. */
export const senders: Readonly<Record<string, Sender>> = {
  'CloudWatch Logs, to a Lambda function': {
    source: awsLambda,
    body: { awslogs: { data: compressed(logGroup) } },
    clusters: ['main'],
  },
  'CloudWatch Logs, by Kinesis': {
    source: kinesis,
    body: {
      Records: [
        {
          kinesis: {
            kinesisSchemaVersion: '1.0',
            partitionKey: '1',
            sequenceNumber: '49590338271490256608559692538361571095921575989136588898',
            data: compressed(logGroup),
            approximateArrivalTimestamp: 1545084650.987,
          },
          eventSource: 'aws:kinesis',
          eventVersion: '1.0',
        },
      ],
    },
    clusters: ['main'],
  },
  'CloudWatch Logs, by Firehose': {
    source: firehose,
    body: {
      requestId: 'ed4acda5-034f-9f42-bba1-f29aea6d7d8f',
      timestamp: 1578090901599,
      records: [{ data: compressed(logGroup) }],
    },
    clusters: ['main'],
  },
  'Firehose, with the messages extracted': {
    source: 'https://docs.aws.amazon.com/firehose/latest/dev/Message_extraction.html',
    body: {
      requestId: 'ed4acda5-034f-9f42-bba1-f29aea6d7d8f',
      timestamp: 1578090901599,
      records: [{ data: Buffer.from(`${line()}\n`).toString('base64') }],
    },
  },
  'AKS, by an Event Hub': { source: azure, body: { records: [resourceLog] }, clusters: ['main'] },
  'several messages of an Event Hub': {
    source: azure,
    body: [{ records: [resourceLog] }],
    clusters: ['main'],
  },
  'fluent-bit, json': {
    source: fluentBit,
    body: [{ date: 1398282091.0, log: line() }],
  },
  'fluent-bit, json_lines, parsed': {
    source: fluentBit,
    body: `${JSON.stringify({ date: 1398282091.0, ...JSON.parse(line()) })}\n`,
  },
  'Vector, newline_delimited': {
    source: vector,
    body: `${JSON.stringify({ file: '/var/lib/rancher/k3s/server/logs/audit.log', host: 'a', message: line(), source_type: 'file', timestamp: '2026-11-20T20:19:26Z' })}\n`,
  },
  'any log shipper, compressed': { source: vector, body: gzipSync(`${line()}\n`) },
  'ApiServerSource, mode Reference': {
    source: knative,
    body: reference,
    headers: {
      'ce-type': 'dev.knative.apiserver.ref.update',
      'ce-time': '2026-11-20T20:19:26.819Z',
    },
    isWatch: true,
  },
  'ApiServerSource, mode Resource': {
    source: knative,
    body: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'foo', namespace: 'default', uid: 'u', resourceVersion: '7' },
      // The fields of a CloudEvent: a ConfigMap has data, too.
      data: { specversion: '1.0' },
    },
    headers: {
      'ce-type': 'dev.knative.apiserver.resource.update',
      'ce-time': '2026-11-20T20:19:26.819Z',
    },
    isWatch: true,
  },
  'ApiServerSource, structured': {
    source: cloudEvents,
    body: cloudEvent(reference),
    isWatch: true,
  },
  'a batch of CloudEvents': { source: cloudEvents, body: [cloudEvent(reference)], isWatch: true },
  'a CloudEvent in base64': {
    source: cloudEvents,
    body: cloudEvent(undefined, {
      data_base64: Buffer.from(JSON.stringify(reference)).toString('base64'),
    }),
    isWatch: true,
  },
};

/** Bodies of the same senders that contain no audit entry, and the reason that is reported. */
export const others: Readonly<
  Record<string, { body: unknown; dropped: string; isProblem?: true }>
> = {
  'the test message of a new subscription': {
    body: { awslogs: { data: compressed({ ...logGroup, messageType: 'CONTROL_MESSAGE' }) } },
    dropped: 'control message',
  },
  'another log of the API server': {
    body: {
      records: [{ ...resourceLog, category: 'kube-scheduler', properties: { log: 'I1120' } }],
    },
    dropped: 'a log other than kube-audit',
  },
  'an event about another type': {
    body: cloudEvent({ ...reference, kind: 'Pod', apiVersion: 'v1' }),
    dropped: 'another type',
  },
  'an event without a name': {
    body: cloudEvent({ ...reference, name: '' }),
    dropped: 'an object without a name',
  },
  'an event of another source': {
    body: cloudEvent({ a: 1 }, { type: 'dev.knative.sources.ping' }),
    dropped:
      'expected a log entry, audit events or a request message, but found an object with the fields "a"',
    isProblem: true,
  },
  'a line of another log': {
    body: [{ date: 1, log: 'I1120 20:19:26 controller.go:1] started' }],
    dropped: 'text that is not JSON',
    isProblem: true,
  },
  'a record without data': {
    body: { awslogs: {} },
    dropped: 'expected a JSON object or a list of JSON objects',
    isProblem: true,
  },
  'damaged data': {
    body: { awslogs: { data: `${compressed(logGroup).slice(0, 40)}` } },
    dropped: 'compressed data that is damaged',
    isProblem: true,
  },
};
