import type { Headers } from '../audit/envelope.ts';
import { askService, isSuccess } from '../cluster/ask-service.ts';
import { DeadlineError, messageOf, UnreachableError } from '../cluster/cluster-errors.ts';
import { final, retry } from '../cluster/retry.ts';
import { present, textAt } from '../json.ts';
import { auditFormat } from './log-entry.ts';
import { fromEndpoint, serviceAccountTokens } from './metadata-server.ts';
import { parseSettings, type Read, type Service } from './settings.ts';

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

/** Cloud Logging groups lines by this field. `X-Cloud-Trace-Context` has the form `TRACE/SPAN;o=1`. */
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
  /** Such as `https://pubsub.googleapis.com`. */
  readonly server: string;
  readonly emulator: string | undefined;
  readonly failure: (why: string, cause?: unknown) => Error;
}

interface Post {
  readonly path: string;
  readonly type: string;
  readonly body: string | Uint8Array;
  /** For a response; default: until the deadline. */
  readonly ms?: number;
  readonly refusals?: Readonly<Record<number, string>>;
}

interface Options {
  /** Replaces Google's server. Unlike an emulator, this server gets tokens. */
  readonly server?: string;
  readonly responseMs?: number;
  /** Default: 200. */
  readonly backoffMs?: number;
  readonly tokens?: (fresh: boolean) => Promise<string>;
}

/** Posts to a Google API as the function's service account, with retries until the deadline. */
function openPost(
  { server, emulator, failure }: Api,
  { tokens = serviceAccountTokens(), backoffMs = 200 }: Options,
) {
  const base = emulator === undefined ? server : `http://${emulator}`;
  const noToken = (cause: unknown): never => {
    // The metadata server was already asked again.
    throw final(failure(messageOf(cause), cause));
  };
  const send = async ({ path, type, body, refusals = {}, ...post }: Post, deadline: number) => {
    const ask = async (fresh: boolean) => {
      const token = emulator === undefined ? await tokens(fresh).catch(noToken) : undefined;
      const authorization = token && `Bearer ${token}`;
      const headers = { 'content-type': type, ...present({ authorization }) };
      const { ms = Math.max(1, deadline - Date.now()) } = post;
      return askService(base + path, { ms, headers, body }).catch((cause: unknown) => {
        throw failure(`no response (${messageOf(cause)})`, cause);
      });
    };
    const first = await ask(false);
    // A token may be revoked before it expires.
    const response = first.code === 401 ? await ask(true) : first;
    const { code } = response;
    // An earlier attempt created the object, and its response was lost.
    if (isSuccess(response) || code === 412) return;
    const text = response.body.toString().trim().slice(0, 300);
    const error = failure(refusals[code] ?? `HTTP ${code} ${text}`);
    throw code === 408 || code === 429 || code >= 500 ? error : final(error);
  };
  return (post: Post, deadline: number): Promise<void> =>
    retry(() => send(post, deadline), { deadline, backoffMs });
}

const largestBatch = 1000;

/** Caveats: a batch whose response was lost may be published twice. */
export function openPublish({ name, emulator }: Service, options: Options = {}) {
  const failure = (why: string, cause?: unknown): Error =>
    new UnreachableError(`cannot publish to ${name}: ${why}`, { cause });
  const { server = 'https://pubsub.googleapis.com', responseMs: ms = 10_000 } = options;
  const post = openPost({ server, emulator, failure }, options);
  const call = { path: `/v1/${name}:publish`, type: 'application/json' };
  return async (messages: readonly object[], deadline: number): Promise<void> => {
    for (let from = 0; from < messages.length; from += largestBatch) {
      if (Date.now() > deadline)
        throw new DeadlineError(
          `cannot publish to ${name}: the run's deadline has passed; raise DEADLINE_SECONDS if this persists`,
        );
      const batch = messages.slice(from, from + largestBatch).map(encoded);
      const body = JSON.stringify({ messages: batch });
      await post({ ...call, body, ms }, deadline);
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

export function openUpload({ name: bucket, emulator }: Service, options: Options = {}) {
  const failure = (why: string): Error => new Error(`cannot write to the bucket ${bucket}: ${why}`);
  const post = openPost({ server: 'https://storage.googleapis.com', emulator, failure }, options);
  return (name: string, body: Uint8Array, until: number): Promise<void> => {
    const query = new URLSearchParams({ uploadType: 'media', ifGenerationMatch: '0', name });
    const path = `/upload/storage/v1/b/${bucket}/o?${query}`;
    return post({ path, type: 'application/gzip', body, refusals: uploadRefusals }, until);
  };
}
