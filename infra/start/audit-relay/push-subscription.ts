import { setTimeout } from 'node:timers/promises';
import pLimit from 'p-limit';
import { post } from './post.ts';

export interface PushOptions {
  readonly endpoint: URL;
  /** `projects/P/subscriptions/S` */
  readonly subscription: string;
  /** The delay before a redelivery: `firstMs`, doubled up to `longestMs`. Google's defaults are 10 s and 600 s. */
  readonly backoff: { readonly firstMs: number; readonly longestMs: number };
  /** The number of deliveries after which a message becomes a dead letter. Google accepts 5 to 100. */
  readonly maxAttempts: number;
  readonly ackDeadlineSeconds: number;
  readonly concurrency: number;
  /** The maximum number of outstanding messages. Any further message becomes a dead letter at once. */
  readonly capacity: number;
  readonly onDeadLetter: (letter: DeadLetter) => void;
}

export interface Message {
  readonly data: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageId: string;
  readonly publishTime: string;
}

export interface DeadLetter {
  readonly message: Message;
  readonly attempts: number;
  readonly why: string;
}

export interface PushStats {
  readonly delivered: number;
  /** The number of deliveries without an acknowledgement. */
  readonly refused: number;
  readonly deadLetters: number;
  readonly backlog: number;
}

const acknowledging: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);

/**
 * Runs a Pub/Sub push subscription.
 *
 * Flow: posts each message, with increasing delays, until a response acknowledges it. After `maxAttempts` deliveries,
 * the message becomes a dead letter.
 * Guarantees: until `stop`, each message is delivered at least once. `publish` neither waits nor throws.
 * Caveats: messages may arrive out of order. `stop` discards outstanding messages. `pause` does not stop
 * deliveries in progress.
 */
export function startPushSubscription(options: PushOptions) {
  const stopped = new AbortController();
  const gate = createGate();
  const outstanding = new Set<Promise<void>>();
  const count = { delivered: 0, refused: 0, deadLetters: 0 };
  const slot = pLimit(options.concurrency);
  const delivering: Delivering = { options, slot, gate, count, signal: stopped.signal };

  function giveUp(letter: DeadLetter): void {
    count.deadLetters++;
    options.onDeadLetter(letter);
  }

  function publish(message: Message): void {
    if (stopped.signal.aborted) return;
    if (outstanding.size >= options.capacity) {
      giveUp({ message, attempts: 0, why: 'backlog full' });
      return;
    }
    const delivery = deliver(message, delivering)
      .then((letter) => letter && giveUp(letter))
      .catch((error: unknown) => {
        if (!stopped.signal.aborted) throw error;
      })
      .finally(() => outstanding.delete(delivery));
    outstanding.add(delivery);
  }

  /** Resolves once every message has been acknowledged or has become a dead letter. */
  async function idle(): Promise<void> {
    while (outstanding.size > 0) await Promise.all(outstanding);
  }

  return {
    publish,
    pause: gate.close,
    resume: gate.open,
    idle,
    /** Discards outstanding messages. */
    async stop(): Promise<void> {
      stopped.abort();
      gate.open();
      await idle();
    },
    stats: (): PushStats => ({ ...count, backlog: outstanding.size }),
  };
}

interface Delivering {
  readonly options: PushOptions;
  readonly slot: ReturnType<typeof pLimit>;
  readonly gate: ReturnType<typeof createGate>;
  readonly count: { delivered: number; refused: number };
  readonly signal: AbortSignal;
}

/** Returns undefined once the message is acknowledged or the subscription has stopped. */
async function deliver(
  message: Message,
  { options, slot, gate, count, signal }: Delivering,
): Promise<DeadLetter | undefined> {
  for (let attempt = 1; ; attempt++) {
    const why = await slot(async () => {
      await gate.opened();
      return pushOnce(message, { options, attempt, signal });
    });
    if (signal.aborted) return undefined;
    if (why === undefined) {
      count.delivered++;
      return undefined;
    }
    count.refused++;
    if (attempt === options.maxAttempts) return { message, attempts: attempt, why };
    await setTimeout(backoffMs(options, attempt), undefined, { signal });
  }
}

/** Creates a gate, which is open at first. `opened` resolves as soon as it is open. */
function createGate() {
  let closed: PromiseWithResolvers<void> | undefined;
  return {
    close(): void {
      closed ??= Promise.withResolvers();
    },
    open(): void {
      closed?.resolve();
      closed = undefined;
    },
    async opened(): Promise<void> {
      while (closed !== undefined) await closed.promise;
    },
  };
}

interface Attempt {
  readonly options: PushOptions;
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** Returns why the message was not acknowledged; undefined if it was. */
async function pushOnce(message: Message, { options, attempt, signal }: Attempt) {
  const { messageId: message_id, publishTime: publish_time } = message;
  const response = await post(options.endpoint, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      message: { ...message, message_id, publish_time },
      subscription: options.subscription,
      deliveryAttempt: attempt,
    }),
    deadlineSeconds: options.ackDeadlineSeconds,
    signal,
  });
  if (response.code === undefined) return response.error;
  const isAcknowledged = acknowledging.has(response.code);
  return isAcknowledged
    ? undefined
    : `returned ${response.code} ${response.text.slice(0, 200)}`.trim();
}

function backoffMs({ backoff }: PushOptions, attempt: number): number {
  return Math.min(backoff.firstMs * 2 ** (attempt - 1), backoff.longestMs);
}
