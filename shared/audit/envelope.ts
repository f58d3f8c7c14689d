import { isFields, type JsonFields, textAt, valueAt } from '../json.ts';
import type { AuditRecord, Dropped } from './record.ts';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Unwrapped {
  /** Values, or JSON as a string or bytes, perhaps compressed. */
  readonly contents: readonly unknown[];
  readonly event?: CloudEvent;
  readonly clusters?: readonly string[];
}

export interface CloudEvent {
  readonly type?: string | undefined;
  readonly time?: string | undefined;
}

export interface Problem {
  readonly problem: string;
}

/** Returns undefined for any other value. */
type Unwrap = (value: JsonFields) => Unwrapped | Dropped | Problem | undefined;

/** Reads the envelopes and entries of a platform. */
export type AuditFormat = (value: JsonFields) => ReturnType<Unwrap> | AuditRecord;

/** In structured mode. */
const cloudEvent: Unwrap = (value) => {
  if (typeof value.specversion !== 'string') return;
  return {
    contents: [value.data_base64 === undefined ? value.data : bytesOf(value.data_base64)],
    event: { type: textAt(value, 'type'), time: textAt(value, 'time') },
  };
};

/** From CloudWatch Logs to a Lambda function. */
const lambdaEvent: Unwrap = ({ awslogs }) =>
  isFields(awslogs) ? { contents: [bytesOf(awslogs.data)] } : undefined;

/** From Kinesis, Firehose or Event Hubs, perhaps in base64. */
const records: Unwrap = (value) => {
  const list = value.records ?? value.Records;
  if (!Array.isArray(list)) return;
  const contents = list.map((record: unknown) => {
    const data = textAt(record, 'data') ?? textAt(record, 'kinesis', 'data');
    return data === undefined ? record : bytesOf(data);
  });
  return { contents };
};

/** From CloudWatch Logs. EKS has one log group for each cluster. */
const logEvents: Unwrap = (value) => {
  if (value.messageType === 'CONTROL_MESSAGE') return { dropped: 'control message' };
  if (!Array.isArray(value.logEvents)) return;
  const contents = value.logEvents.map((event: unknown) => valueAt(event, 'message'));
  const [, cluster] = /^\/aws\/eks\/(.+)\/cluster$/.exec(textAt(value, 'logGroup') ?? '') ?? [];
  return cluster === undefined ? { contents } : { contents, clusters: [cluster] };
};

/** From AKS through an Event Hub. */
const resourceLog: Unwrap = (value) => {
  const log = valueAt(value, 'properties', 'log');
  const { category } = value;
  if (log === undefined || typeof category !== 'string') return;
  if (!/^kube-audit(-admin)?$/.test(category)) return { dropped: 'a log other than kube-audit' };
  // Azure writes the id in capitals.
  const id = textAt(value, 'resourceId')?.toLowerCase() ?? '';
  const [, cluster] = /\/managedclusters\/([^/]+)$/.exec(id) ?? [];
  return { contents: [log], ...(cluster === undefined ? {} : { clusters: [cluster] }) };
};

/** Fluent Bit puts an unparsed line of a file into `log`, Vector into `message`. */
const line: Unwrap = ({ log, message }) => {
  const text = typeof log === 'string' ? log : message;
  return typeof text === 'string' ? { contents: [text] } : undefined;
};

export const envelopes: readonly Unwrap[] = [
  cloudEvent,
  lambdaEvent,
  records,
  logEvents,
  resourceLog,
  line,
];

const bytesOf = (base64: unknown): Uint8Array | undefined =>
  typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined;
