import { Buffer } from 'node:buffer';
import { isFields, type JsonFields, present, textAt, valueAt } from '../json.ts';
import { oneLine } from '../printable.ts';
import { parseScope, type Scope } from '../scope.ts';

/** What identifies a delivery, as far as its envelope says. */
export interface DeliveryId {
  readonly id?: string;
  readonly attempt?: number;
}

type Content =
  | { readonly kind: 'log-entry'; readonly entry: JsonFields }
  | { readonly kind: 'audit-events'; readonly events: readonly unknown[] }
  | { readonly kind: 'scope'; readonly scope: Scope; readonly cluster?: string }
  | { readonly kind: 'unintelligible'; readonly why: string };

export type Envelope = Content & { readonly delivery: DeliveryId };

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Parses the input of the audit function, which is recognized by its shape: a Pub/Sub push
 * (`message.data`, bare or in the `data` of a CloudEvent), a CloudEvent with the content as its data, or
 * the content itself. Content is a Cloud Logging entry (`protoPayload`), an `audit.k8s.io/v1` EventList
 * or Event, or `{ "version": 1, "scope": { … } }`.
 *
 * Guarantees: returns an Envelope for any body.
 */
export function readEnvelope(body: unknown, headers: Headers = {}): Envelope {
  const outer = typeof body === 'string' || body instanceof Uint8Array ? parseText(body) : body;
  if (!isFields(outer)) return { ...unintelligible('not a JSON object'), delivery: {} };
  const data = isFields(outer.message) ? undefined : dataOf(outer);
  const inner = isFields(data) ? data : outer;
  const { message } = inner;
  return {
    ...(isFields(message) ? readMessage(message) : readContent(inner)),
    delivery: readDeliveryId(inner, textAt(outer, 'id'), headers),
  };
}

/** The data of a structured CloudEvent: a JSON value, JSON text, or JSON in base64. */
function dataOf({ data, data_base64: encoded }: JsonFields): unknown {
  if (typeof encoded === 'string') return parseText(Buffer.from(encoded, 'base64'));
  return typeof data === 'string' ? parseText(data) : data;
}

function readMessage({ data }: JsonFields): Content {
  if (typeof data !== 'string') return unintelligible('a Pub/Sub message without data');
  return readContent(parseText(Buffer.from(data, 'base64')));
}

function readContent(content: unknown): Content {
  if (!isFields(content)) return unintelligible('not a JSON object');
  if (isFields(content.protoPayload)) return { kind: 'log-entry', entry: content };
  if (textAt(content, 'apiVersion')?.startsWith('audit.k8s.io/')) return readAuditEvents(content);
  if (Object.hasOwn(content, 'scope')) return readScopeMessage(content);
  return unintelligible('neither a log entry, nor audit events, nor a scope message');
}

function readAuditEvents({ apiVersion, kind, ...rest }: JsonFields): Content {
  if (apiVersion !== 'audit.k8s.io/v1') return unintelligible('only audit.k8s.io/v1 is read');
  if (kind === 'Event') return { kind: 'audit-events', events: [rest] };
  if (kind !== 'EventList' || !Array.isArray(rest.items))
    return unintelligible('audit.k8s.io/v1, but neither an EventList nor an Event');
  return { kind: 'audit-events', events: rest.items };
}

function readScopeMessage({ version, scope, cluster }: JsonFields): Content {
  if (version !== 1) return unintelligible('only scope messages of version 1 are read');
  const parsed = parseScope(scope);
  if (typeof parsed === 'string') return unintelligible(parsed);
  if (cluster !== undefined && typeof cluster !== 'string')
    return unintelligible('the cluster of a scope message is a name');
  return { kind: 'scope', scope: parsed, ...present({ cluster }) };
}

function readDeliveryId(
  push: JsonFields,
  eventId: string | undefined,
  headers: Headers,
): DeliveryId {
  const id =
    textAt(push, 'message', 'messageId') ??
    textAt(push, 'message', 'message_id') ??
    textAt(headers, 'ce-id') ??
    textAt(headers, 'x-goog-pubsub-message-id') ??
    eventId;
  const attempt = valueAt(push, 'deliveryAttempt');
  return present({
    id: id && oneLine(id, 128),
    attempt: typeof attempt === 'number' ? attempt : undefined,
  });
}

function parseText(text: string | Uint8Array): unknown {
  try {
    const json = typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    return JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch {
    return;
  }
}

const unintelligible = (why: string): Content => ({ kind: 'unintelligible', why });
