import { isFields, type JsonFields, present, textAt, valueAt } from '../json.ts';
import type { ResourceType } from '../kubernetes.ts';
import { oneLine, quote } from '../printable.ts';
import { parseRequest, type ReconcileRequest } from '../reconcile-request.ts';
import {
  type AuditFormat,
  type CloudEvent,
  envelopes,
  type Headers,
  type Problem,
  type Unwrapped,
} from './envelope.ts';
import { type InflateBudget, jsonValuesIn, MalformedError } from './json-text.ts';
import { type AuditRecord, type Dropped, readAuditEvent } from './record.ts';

export interface Source {
  readonly headers?: Headers;
  readonly format?: AuditFormat;
  /** The types to look up, because a watch event names only the kind of its object. */
  readonly types?: readonly ResourceType[];
}

export interface AddressedRequest {
  readonly request: ReconcileRequest;
  readonly clusters?: readonly string[];
}

type Content = AuditRecord | Dropped | AddressedRequest | Problem;

/** `depth` is the number of envelopes, lists and JSON strings that contain the value. */
type Enclosing = Omit<Unwrapped, 'contents'> & { readonly depth: number };

type Reader = Source & { readonly budget: InflateBudget };

const maxInflatedBytes = 2 * 1024 * 1024;
const maxDepth = 8;

/**
 * Parses a body, plain or compressed by gzip: a value, a list of values, or a value on each line. A value is an audit
 * Event or EventList, an entry of the platform's audit log, an event of Knative's ApiServerSource, a request message,
 * or an envelope around further values.
 *
 * Guarantees: reads lazily, in bounded memory. An unreadable part does not affect the other parts, but all compressed
 * parts share one budget. Throws a MalformedError if no value can be read.
 */
export function* contentsOf(body: unknown, source: Source): Generator<Content, void> {
  const { headers = {} } = source;
  const reader = { ...source, budget: { bytesLeft: maxInflatedBytes } };
  const event = { type: textAt(headers, 'ce-type'), time: textAt(headers, 'ce-time') };
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  let isReadable = false;
  for (const value of isText ? jsonValuesIn(body, reader.budget) : [body])
    if (isFields(value) || Array.isArray(value)) {
      isReadable = true;
      yield* contentsIn(value, { event, depth: 0 }, reader);
    } else yield { problem: notAnObject };
  if (!isReadable) throw new MalformedError(notAnObject);
}

const notAnObject = 'expected a JSON object or a list of JSON objects';

function* contentsIn(
  value: unknown,
  enclosing: Enclosing,
  reader: Reader,
): Generator<Content, void> {
  const inner = { ...enclosing, depth: enclosing.depth + 1 };
  try {
    if (enclosing.depth > maxDepth)
      throw new MalformedError(`nested in more than ${maxDepth} envelopes, lists and strings`);
    if (typeof value === 'string' || value instanceof Uint8Array)
      for (const line of jsonValuesIn(value, reader.budget)) yield* contentsIn(line, inner, reader);
    else if (Array.isArray(value)) for (const item of value) yield* contentsIn(item, inner, reader);
    else if (isFields(value)) yield* contentsOfObject(value, inner, reader);
    else throw new MalformedError(notAnObject);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    yield { problem: error.message };
  }
}

function* contentsOfObject(
  object: JsonFields,
  enclosing: Enclosing,
  reader: Reader,
): Generator<Content, void> {
  const { event = {}, clusters } = enclosing;
  const { format, types = [] } = reader;
  const read =
    readAuditEvents(object) ??
    readWatchEvent(event, object, types) ??
    format?.(object) ??
    readRequestMessage(object) ??
    unwrap(object);
  if ('contents' in read) {
    const { contents, ...envelope } = read;
    for (const content of contents)
      yield* contentsIn(content, { ...enclosing, ...envelope }, reader);
  } else
    for (const value of Symbol.iterator in read ? read : [read])
      yield { ...present({ clusters }), ...value };
}

function unwrap(object: JsonFields) {
  for (const unwrapAs of envelopes) {
    const unwrapped = unwrapAs(object);
    if (unwrapped !== undefined) return unwrapped;
  }
  const names = Object.keys(object).slice(0, 5);
  const shown = names.map((name) => quote(oneLine(name, 40))).join(', ');
  const fields = names.length === 0 ? 'no fields' : `the fields ${shown}`;
  return {
    problem: `expected a log entry, audit events or a request message, but found an object with ${fields}`,
  };
}

type Read = AuditRecord | Dropped | Problem;

function readAuditEvents(object: JsonFields): Read | Iterable<Read> | undefined {
  const { apiVersion, kind, items } = object;
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith('audit.k8s.io/')) return;
  if (apiVersion !== 'audit.k8s.io/v1') return { problem: 'only audit.k8s.io/v1 is read' };
  if (kind === 'Event') return readAuditEvent(object);
  if (kind === 'EventList' && Array.isArray(items)) return items.values().map(readAuditEvent);
  return { problem: 'an audit.k8s.io/v1 object must be an Event or an EventList with items' };
}

function readRequestMessage(object: JsonFields): AddressedRequest | Problem | undefined {
  // Ignores lines of access logs, which may have a field `request`, but no `version`.
  if (!Object.hasOwn(object, 'request') || !Object.hasOwn(object, 'version')) return;
  const { version, cluster } = object;
  if (version !== 1) return { problem: 'only request messages of version 1 are read' };
  const request = parseRequest(object.request);
  if (typeof request === 'string') return { problem: request };
  if (cluster === undefined) return { request };
  if (typeof cluster === 'string') return { request, clusters: [cluster] };
  return { problem: 'the cluster of a request message must be a name' };
}

/** Matches the event types of Knative's ApiServerSource in its modes Resource and Reference. */
const watchEventType = /^dev\.knative\.apiserver\.(?:resource|ref)\.(add|update|delete)$/;

const watchVerbs = { add: 'create', update: 'update', delete: 'delete' } as const;

/** Reads an event of Knative's ApiServerSource, which names no user and may report a status write. */
export function readWatchEvent(
  { type = '', time }: CloudEvent,
  object: unknown,
  types: readonly ResourceType[],
): AuditRecord | Dropped | undefined {
  const change = watchEventType.exec(type)?.[1] as keyof typeof watchVerbs | undefined;
  if (change === undefined) return;
  const apiVersion = textAt(object, 'apiVersion') ?? '';
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const kind = textAt(object, 'kind');
  const known = types.find((one) => one.kind === kind && one.group === group);
  if (known === undefined) return { dropped: 'another type' };
  const from = valueAt(object, 'metadata') ?? object;
  const [namespace, name] = [textAt(from, 'namespace'), textAt(from, 'name')];
  if (name === undefined) return { dropped: 'an object without a name' };
  return {
    group,
    version,
    plural: known.plural,
    ...present({ namespace, name, time }),
    verb: watchVerbs[change],
    user: '',
    failed: false,
    dryRun: false,
  };
}
