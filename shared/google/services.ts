import { Buffer } from 'node:buffer';
import { askService, isSuccess } from '../cluster/ask-service.ts';
import { DeadlineError, messageOf, UnreachableError } from '../cluster/cluster-errors.ts';
import { final, retry } from '../cluster/retry.ts';
import { serviceAccountTokens } from './metadata-server.ts';
import type { Service } from './settings.ts';

interface Api {
  /** Such as `https://pubsub.googleapis.com`. */
  readonly server: string;
  readonly emulator: string | undefined;
  /** Returns the error of a request that failed. */
  readonly lost: (why: string, cause?: unknown) => Error;
}

interface Post {
  readonly path: string;
  readonly type: string;
  readonly body: string | Uint8Array;
  /** Time limit for one response; default: until the deadline. */
  readonly ms?: number;
  /** Explains a refusal by its code. */
  readonly refusals?: Readonly<Record<number, string>>;
}

interface Options {
  /** Time limit for one response of Pub/Sub. */
  readonly responseMs?: number;
  /** Delay before the second attempt in milliseconds, doubled before each further one; default: 200. */
  readonly backoffMs?: number;
  readonly tokens?: (fresh: boolean) => Promise<string>;
}

/**
 * Returns a function that posts to a Google API as the function's own service account; an emulator gets no
 * token.
 *
 * Guarantees: transient errors are retried (`retry`) before the deadline.
 */
function openPost(
  { server, emulator, lost }: Api,
  { tokens = serviceAccountTokens(), backoffMs = 200 }: Options,
) {
  const base = emulator === undefined ? server : `http://${emulator}`;
  const noToken = (cause: unknown): never => {
    // Does not retry, because the request to the metadata server was retried already.
    throw final(lost(messageOf(cause), cause));
  };
  const send = async ({ path, type, body, refusals = {}, ...post }: Post, deadline: number) => {
    const token = emulator === undefined ? await tokens(false).catch(noToken) : undefined;
    const headers = {
      'content-type': type,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const { ms = Math.max(1, deadline - Date.now()) } = post;
    const response = await askService(base + path, { ms, headers, body }).catch(
      (cause: unknown) => {
        throw lost(`no response (${messageOf(cause)})`, cause);
      },
    );
    const { code } = response;
    // 412 means that an earlier attempt created the object and its response was lost.
    if (isSuccess(response) || code === 412) return;
    const text = response.body.toString().trim().slice(0, 300);
    const error = lost(refusals[code] ?? `HTTP ${code} ${text}`);
    throw code === 408 || code === 429 || code >= 500 ? error : final(error);
  };
  return (post: Post, deadline: number): Promise<void> =>
    retry(() => send(post, deadline), { deadline, backoffMs });
}

/** Pub/Sub's limit of messages in one request. */
const largestBatch = 1000;

/**
 * Publishes JSON messages to a Pub/Sub topic.
 *
 * Guarantees: rejects if not all messages were published, and names the topic. Caveats: a batch whose
 * response was lost is published twice.
 */
export function openPublish({ name, emulator }: Service, options: Options = {}) {
  const lost = (why: string, cause?: unknown): Error =>
    new UnreachableError(`cannot publish to ${name}: ${why}`, { cause });
  const post = openPost({ server: 'https://pubsub.googleapis.com', emulator, lost }, options);
  const to = { path: `/v1/${name}:publish`, type: 'application/json' };
  const { responseMs: ms = 10_000 } = options;
  return async (messages: readonly object[], deadline: number): Promise<void> => {
    for (let from = 0; from < messages.length; from += largestBatch) {
      if (Date.now() > deadline)
        throw new DeadlineError(
          `cannot publish to ${name}: the run's deadline has passed; raise DEADLINE_SECONDS if this persists`,
        );
      const batch = messages.slice(from, from + largestBatch).map(encoded);
      const body = JSON.stringify({ messages: batch });
      await post({ ...to, body, ms }, deadline);
    }
  };
}

const encoded = (message: object) => ({
  data: Buffer.from(JSON.stringify(message)).toString('base64'),
});

const notGranted = 'grant its service account roles/storage.objectCreator on the bucket';
const uploadRefusals = {
  401: `HTTP 401; ${notGranted}`,
  403: `HTTP 403; ${notGranted}`,
  404: 'HTTP 404, there is no such bucket; create it, or correct RECORD_BUCKET',
};

/**
 * Creates objects in a bucket.
 *
 * Guarantees: no object is replaced. An error names the bucket and a remedy.
 */
export function openUpload({ name: bucket, emulator }: Service, options: Options = {}) {
  const lost = (why: string): Error => new Error(`cannot write to the bucket ${bucket}: ${why}`);
  const post = openPost({ server: 'https://storage.googleapis.com', emulator, lost }, options);
  return (name: string, body: Uint8Array, until: number): Promise<void> => {
    const query = new URLSearchParams({ uploadType: 'media', ifGenerationMatch: '0', name });
    const path = `/upload/storage/v1/b/${bucket}/o?${query}`;
    return post({ path, type: 'application/gzip', body, refusals: uploadRefusals }, until);
  };
}
