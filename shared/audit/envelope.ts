import { Buffer } from 'node:buffer';
import { isFields, type JsonFields, present, textAt } from '../json.ts';
import { oneLine } from '../printable.ts';
import { parseRequest, type ReconcileRequest } from '../reconcile-request.ts';
import type { AuditRecord, Dropped } from './record.ts';

/** The id and attempt of a delivery, if its envelope has them. */
export interface DeliveryId {
  readonly id?: string;
  readonly attempt?: number;
}

/** An entry of a platform's audit log. */
interface LogEntry {
  readonly record: AuditRecord | Dropped;
  /** The names of the cluster that it comes from. */
  readonly clusters: readonly string[];
}

/** Reads a platform's pushed messages and the audit log of its clusters. */
export interface AuditFormat {
  /** Returns the content of a pushed message, undefined if it has none; returns any other body as it is. */
  readonly unwrap: (body: JsonFields, headers: Headers) => Message;
  /** Reads an entry of the audit log; undefined for any other content. */
  readonly readEntry: (content: JsonFields) => LogEntry | undefined;
}

interface Message {
  /** Bytes are JSON text. */
  readonly content: JsonFields | Uint8Array | undefined;
  readonly id?: string | undefined;
  readonly attempt?: number | undefined;
}

type Content =
  | ({ readonly kind: 'log-entry' } & LogEntry)
  | { readonly kind: 'audit-events'; readonly events: readonly unknown[] }
  | { readonly kind: 'scope'; readonly scope: ReconcileRequest; readonly cluster?: string }
  | { readonly kind: 'unintelligible'; readonly why: string };

export type Envelope = Content & { readonly delivery: DeliveryId };

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The origin of a body; without a format, it is not read as a platform's message or log entry. */
export interface Source {
  readonly headers?: Headers;
  readonly format?: AuditFormat;
}

/**
 * Parses the input of the audit function, recognized by its shape: a message pushed by the platform (bare
 * or in the `data` of a CloudEvent), a CloudEvent with the content as its data, or the content itself.
 * Content is an entry of the platform's audit log, an `audit.k8s.io/v1` EventList or Event, or
 * `{ "version": 1, "scope": { … } }`.
 *
 * Guarantees: returns an Envelope for any body.
 */
export function readEnvelope(body: unknown, { headers = {}, format }: Source = {}): Envelope {
  const outer = jsonIn(body);
  if (!isFields(outer)) return { ...unintelligible('not a JSON object'), delivery: {} };
  const data = dataOf(outer);
  const inner = isFields(data) ? data : outer;
  const { content, id, attempt }: Message = format?.unwrap(inner, headers) ?? { content: inner };
  const name = id ?? textAt(headers, 'ce-id') ?? textAt(outer, 'id');
  return {
    ...(content === undefined
      ? unintelligible('a message without data; is the subscription that of the audit sink?')
      : readContent(jsonIn(content), format)),
    delivery: present({ id: name && oneLine(name, 128), attempt }),
  };
}

/** The data of a structured CloudEvent: a JSON value, JSON text, or JSON in base64. */
function dataOf({ data, data_base64: encoded }: JsonFields): unknown {
  if (typeof encoded === 'string') return parseText(Buffer.from(encoded, 'base64'));
  return typeof data === 'string' ? parseText(data) : data;
}

function readContent(content: unknown, format: AuditFormat | undefined): Content {
  if (!isFields(content)) return unintelligible('not a JSON object');
  const entry = format?.readEntry(content);
  if (entry !== undefined) return { kind: 'log-entry', ...entry };
  if (textAt(content, 'apiVersion')?.startsWith('audit.k8s.io/')) return readAuditEvents(content);
  if (Object.hasOwn(content, 'scope')) return readRequestMessage(content);
  return unintelligible('neither a log entry, nor audit events, nor a request message');
}

function readAuditEvents({ apiVersion, kind, ...rest }: JsonFields): Content {
  if (apiVersion !== 'audit.k8s.io/v1') return unintelligible('only audit.k8s.io/v1 is read');
  if (kind === 'Event') return { kind: 'audit-events', events: [rest] };
  if (kind !== 'EventList' || !Array.isArray(rest.items))
    return unintelligible('audit.k8s.io/v1, but neither an EventList nor an Event');
  return { kind: 'audit-events', events: rest.items };
}

function readRequestMessage({ version, scope: request, cluster }: JsonFields): Content {
  if (version !== 1) return unintelligible('only request messages of version 1 are read');
  const parsed = parseRequest(request);
  if (typeof parsed === 'string') return unintelligible(parsed);
  if (cluster !== undefined && typeof cluster !== 'string')
    return unintelligible('the cluster of a request message must be a name');
  return { kind: 'scope', scope: parsed, ...present({ cluster }) };
}

const jsonIn = (body: unknown): unknown =>
  typeof body === 'string' || body instanceof Uint8Array ? parseText(body) : body;

function parseText(text: string | Uint8Array): unknown {
  try {
    const json = typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    return JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch {
    return;
  }
}

const unintelligible = (why: string): Content => ({ kind: 'unintelligible', why });
