import { Buffer } from 'node:buffer';
import { askService, isSuccess } from '../cluster/ask-service.ts';
import { DeadlineError, messageOf, UnreachableError } from '../cluster/cluster-errors.ts';
import type { Received } from '../cluster/http/http-answer.ts';
import { final, retry } from '../cluster/retry.ts';
import { present } from '../json.ts';
import { serviceAccountTokens } from './metadata-server.ts';
import type { Topic } from './settings.ts';

/** Pub/Sub's limit of messages in one request. */
const largestBatch = 1000;
/** Time limit for one response of Pub/Sub. */
const defaultAnswerMs = 10_000;

interface PublishOptions {
  readonly answerMs?: number;
  /** Delay before the second attempt in milliseconds, doubled before each further one; default: 200. */
  readonly backoffMs?: number;
  readonly tokens?: (fresh: boolean) => Promise<string>;
}

/**
 * Publishes JSON messages to a Pub/Sub topic, as the function's own service account.
 *
 * Guarantees: transient errors are retried (`retry`) before the deadline. Rejects if not all messages were
 * published, and names the topic. Caveats: a batch whose response was lost is published twice.
 */
export function openPublish({ topic, emulator }: Topic, options: PublishOptions = {}) {
  const base = emulator === undefined ? 'https://pubsub.googleapis.com' : `http://${emulator}`;
  const url = `${base}/v1/${topic}:publish`;
  const { tokens = serviceAccountTokens(), answerMs = defaultAnswerMs, backoffMs = 200 } = options;
  const lost = (why: string, cause?: unknown): UnreachableError =>
    new UnreachableError(`cannot publish to ${topic}: ${why}`, { cause });

  const send = async (messages: readonly object[]): Promise<void> => {
    const token = emulator === undefined ? await tokens(false).catch(noToken) : undefined;
    const answer = await post(url, messages, { token, answerMs }).catch((cause: unknown) => {
      throw lost(`no answer (${messageOf(cause)})`, cause);
    });
    if (isSuccess(answer)) return;
    const error = lost(`HTTP ${answer.code} ${answer.body.toString().trim().slice(0, 300)}`);
    throw answer.code === 429 || answer.code >= 500 ? error : final(error);
  };
  const noToken = (cause: unknown): never => {
    // Does not retry, because the request to the metadata server was retried already.
    throw final(lost(messageOf(cause), cause));
  };
  return async (messages: readonly object[], deadline: number): Promise<void> => {
    for (let from = 0; from < messages.length; from += largestBatch) {
      if (Date.now() > deadline)
        throw new DeadlineError(
          `cannot publish to ${topic}: the run's deadline has passed; raise DEADLINE_SECONDS if this persists`,
        );
      const batch = messages.slice(from, from + largestBatch);
      await retry(() => send(batch), { deadline, backoffMs });
    }
  };
}

const post = (
  url: string,
  messages: readonly object[],
  { token, answerMs }: { readonly token: string | undefined; readonly answerMs: number },
): Promise<Received> =>
  askService(url, {
    ms: answerMs,
    headers: {
      'content-type': 'application/json',
      ...present({ authorization: token && `Bearer ${token}` }),
    },
    body: JSON.stringify({ messages: messages.map(encoded) }),
  });

const encoded = (message: object) => ({
  data: Buffer.from(JSON.stringify(message)).toString('base64'),
});
