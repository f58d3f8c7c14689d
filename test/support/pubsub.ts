import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startPushSubscription } from '../../infra/start/audit-relay/push-subscription.ts';

/** A topic with the REST API of Pub/Sub, which pushes to its endpoints in turn. */
export interface Topic {
  /** `host:port`, the value for PUBSUB_EMULATOR_HOST. */
  readonly host: string;
  readonly published: readonly unknown[];
  /** Resolves once every message is acknowledged or given up. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Guarantees: delivers at least once. Caveats: on purpose it delivers each message twice, to different
 * endpoints, and the last published message first.
 */
export async function startTopic(name: string, endpoints: readonly URL[]): Promise<Topic> {
  const published: unknown[] = [];
  const subscriptions = endpoints.map((endpoint) =>
    startPushSubscription({
      endpoint,
      subscription: 'projects/test/subscriptions/test',
      backoff: { firstMs: 20, longestMs: 100 },
      maxAttempts: 5,
      ackDeadlineSeconds: 600,
      concurrency: 4,
      capacity: 1000,
      onDeadLetter: ({ why }) => published.push({ deadLetter: why }),
    }),
  );
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url !== `/v1/${name}:publish`) {
      response.writeHead(404).end();
      return;
    }
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
      messages: { data: string }[];
    };
    const ids = messages.map(({ data }, at) => {
      published.push(JSON.parse(Buffer.from(data, 'base64').toString()));
      return `${published.length + at}`;
    });
    for (const [at, { data }] of messages.entries().toArray().toReversed()) {
      const message = { data, attributes: {}, messageId: ids[at]!, publishTime: '' };
      for (const copy of [0, 1])
        subscriptions[(at + copy) % subscriptions.length]?.publish(message);
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ messageIds: ids }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    published,
    async idle() {
      await Promise.all(subscriptions.map(({ idle }) => idle()));
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await Promise.all(subscriptions.map(({ stop }) => stop()));
    },
  };
}
