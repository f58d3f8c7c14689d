import { Buffer } from 'node:buffer';
import pRetry, { AbortError } from 'p-retry';
import { UnreachableError } from '../shared/cluster/errors.ts';
import { serviceAccountTokens } from '../shared/cluster/metadata-server.ts';
import type { FanOut } from '../shared/config/config.ts';

/** What one request to Pub/Sub may hold. */
const largestBatch = 1000;

export type Publish = (messages: readonly object[]) => Promise<void>;

/**
 * Publishes JSON messages to a Pub/Sub topic, as the function's own service account.
 *
 * Guarantees: what may pass by itself is tried again; an error means that not all were taken.
 * Caveats: a batch whose answer was lost is published twice.
 */
export function openPublish({ topic, emulator }: FanOut): Publish {
  const base = emulator === undefined ? 'https://pubsub.googleapis.com' : `http://${emulator}`;
  const tokens = serviceAccountTokens();
  const send = async (messages: readonly object[]): Promise<void> => {
    const token = emulator === undefined ? await tokens(false) : undefined;
    const response = await fetch(`${base}/v1/${topic}:publish`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ messages: messages.map(encoded) }),
    });
    if (response.ok) return;
    const text = (await response.text()).slice(0, 300);
    const error = new UnreachableError(
      `cannot publish to ${topic}: HTTP ${response.status} ${text}`,
    );
    throw response.status === 429 || response.status >= 500 ? error : new AbortError(error);
  };
  return async (messages) => {
    for (let from = 0; from < messages.length; from += largestBatch) {
      const batch = messages.slice(from, from + largestBatch);
      await pRetry(() => send(batch), { retries: 4, minTimeout: 200, randomize: true });
    }
  };
}

const encoded = (message: object) => ({
  data: Buffer.from(JSON.stringify(message)).toString('base64'),
});
