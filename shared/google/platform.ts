import type { Headers } from '../audit/envelope.ts';
import { askService, isSuccess } from '../cluster/ask-service.ts';
import { DeadlineError, messageOf, UnreachableError } from '../cluster/cluster-errors.ts';
import { final, retry } from '../cluster/retry.ts';
import { present, textAt } from '../json.ts';
import { auditFormat } from './log-entry.ts';
import { fromEndpoint, serviceAccountTokens } from './metadata-server.ts';
import { type Destination, parseSettings, type Read } from './settings.ts';

export function openGoogle(read: Read) {
  const { topic, bucket, project } = parseSettings(read);
  return {
    auditFormat,
    fromEndpoint,
    publish: topic && openPublish(topic),
    bucket: bucket && { name: bucket.name, upload: openUpload(bucket) },
    traceFields: (headers: Headers) => traceFields(headers, project),
  };
}

/** Returns the field by which Cloud Logging groups lines. `X-Cloud-Trace-Context` has the form `TRACE/SPAN;o=1`. */
export function traceFields(
  headers: Headers,
  project: string | undefined,
): Readonly<Record<string, string>> {
  const header = (name: string): string => textAt(headers, name) ?? '';
  const [, w3c] = /^00-([0-9a-f]{32})-[0-9a-f]{16}-/.exec(header('traceparent')) ?? [];
  const [, cloud] = /^([0-9a-f]{32})(?:[/;]|$)/.exec(header('x-cloud-trace-context')) ?? [];
  const trace = w3c ?? cloud;
  if (project === undefined || trace === undefined) return {};
  return { 'logging.googleapis.com/trace': `projects/${project}/traces/${trace}` };
}

interface Api {
  /** The URL, such as `https://pubsub.googleapis.com`. Requests to it carry a token; requests to an emulator do not. */
  readonly server: string;
  readonly emulator: string | undefined;
  readonly type: string;
  readonly failure: (why: string, cause?: unknown) => Error;
  readonly refusals?: Readonly<Record<number, string>>;
  /** Time limit for a response; default: until the deadline. */
  readonly responseMs?: number;
  /** Default: 200. */
  readonly backoffMs?: number;
  readonly tokens?: (fresh: boolean) => Promise<string>;
}

type Options = Partial<Pick<Api, 'server' | 'responseMs' | 'backoffMs' | 'tokens'>>;

/** Posts to a Google API as the function's service account, with retries until the deadline. */
function openPost(api: Api) {
  const { emulator, type, failure, refusals = {} } = api;
  const { tokens = serviceAccountTokens(), backoffMs = 200 } = api;
  const base = emulator === undefined ? api.server : `http://${emulator}`;
  const noToken = (cause: unknown): never => {
    // Is not retried, because `tokens` has already retried the metadata server.
    throw final(failure(messageOf(cause), cause));
  };
  const send = async (path: string, body: string | Uint8Array, deadline: number) => {
    const ask = async (fresh: boolean) => {
      const token = emulator === undefined ? await tokens(fresh).catch(noToken) : undefined;
      const authorization = token && `Bearer ${token}`;
      const headers = { 'content-type': type, ...present({ authorization }) };
      const ms = api.responseMs ?? Math.max(1, deadline - Date.now());
      return askService(base + path, { ms, headers, body }).catch((cause: unknown) => {
        throw failure(`no response (${messageOf(cause)})`, cause);
      });
    };
    const first = await ask(false);
    // Tries once more with a new token, because a token may be revoked before it expires.
    const response = first.code === 401 ? await ask(true) : first;
    const { code } = response;
    // A 412 means that an earlier attempt created the object, and its response was lost.
    if (isSuccess(response) || code === 412) return;
    const text = response.body.toString().trim().slice(0, 300);
    const error = failure(refusals[code] ?? `HTTP ${code} ${text}`);
    throw code === 408 || code === 429 || code >= 500 ? error : final(error);
  };
  return (path: string, body: string | Uint8Array, deadline: number): Promise<void> =>
    retry(() => send(path, body, deadline), { deadline, backoffMs });
}

const largestBatch = 1000;

/** Caveats: a batch whose response was lost may be published twice. */
export function openPublish({ name, emulator }: Destination, options: Options = {}) {
  const failure = (why: string, cause?: unknown): Error =>
    new UnreachableError(`cannot publish to ${name}: ${why}`, { cause });
  const server = 'https://pubsub.googleapis.com';
  const type = 'application/json';
  const post = openPost({ server, emulator, type, failure, responseMs: 10_000, ...options });
  return async (messages: readonly object[], deadline: number): Promise<void> => {
    for (let from = 0; from < messages.length; from += largestBatch) {
      if (Date.now() > deadline)
        throw new DeadlineError(
          `cannot publish to ${name}: the run's deadline has passed; raise DEADLINE_SECONDS if this persists`,
        );
      const batch = messages.slice(from, from + largestBatch).map(encoded);
      await post(`/v1/${name}:publish`, JSON.stringify({ messages: batch }), deadline);
    }
  };
}

const encoded = (message: object) => ({
  data: Buffer.from(JSON.stringify(message)).toString('base64'),
});

const notGranted = "grant the function's service account roles/storage.objectCreator on the bucket";
const uploadRefusals = {
  401: `HTTP 401; ${notGranted}`,
  403: `HTTP 403; ${notGranted}`,
  404: 'HTTP 404, there is no such bucket; create the bucket, or correct RECORD_BUCKET',
};

export function openUpload({ name: bucket, emulator }: Destination, options: Options = {}) {
  const failure = (why: string): Error => new Error(`cannot write to the bucket ${bucket}: ${why}`);
  const server = 'https://storage.googleapis.com';
  const call = { server, emulator, type: 'application/gzip', failure, refusals: uploadRefusals };
  const post = openPost({ ...call, ...options });
  return (name: string, body: Uint8Array, until: number): Promise<void> => {
    const query = new URLSearchParams({ uploadType: 'media', ifGenerationMatch: '0', name });
    return post(`/upload/storage/v1/b/${bucket}/o?${query}`, body, until);
  };
}
