import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { AuditedKind } from '../../../shared/audit/filter.ts';
import { type ClusterName, sinkConditions, sinkRefusal } from '../../generate/audit/sink-filter.ts';
import { logEntryOf } from './log-entry.ts';
import {
  type DeadLetter,
  type Message,
  type PushOptions,
  type PushStats,
  startPushSubscription,
} from './push-subscription.ts';
import { createAuditWebhook } from './webhook.ts';

type Log = (message: string, fields: Readonly<Record<string, unknown>>) => void;

export interface RelayedTypes {
  readonly kinds: readonly AuditedKind[];
  readonly ownIdentity: readonly string[];
  /** Default: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined;
}

export interface AuditRelayOptions extends RelayedTypes {
  readonly push: URL;
  readonly cluster?: ClusterName;
  /** The port of the audit webhook; default: any free port. */
  readonly port?: number;
  /** Overrides `localDelivery`, which resembles Pub/Sub but has shorter delays. */
  readonly delivery?: Partial<Omit<PushOptions, 'endpoint' | 'subscription' | 'onDeadLetter'>>;
  readonly onDeadLetter?: (letter: DeadLetter) => void;
  readonly log: Log;
}

interface RelayStats extends PushStats {
  /** Audit Events of any stage. */
  readonly received: number;
  /** The number of dropped entries, by what dropped them: the name of an exclusion, or `filter`. */
  readonly excluded: Readonly<Record<string, number>>;
}

export interface AuditRelay {
  /** The address for a kube-apiserver's audit webhook. */
  readonly url: string;
  /** Accepts Events from this process, without HTTP. Never waits, never throws. */
  accept(events: readonly unknown[]): void;
  /** Replaces the selection. Entries received before are not affected. */
  select(selection: RelayedTypes): void;
  /** Delays deliveries that have not begun, until `resume` is called. */
  pause(): void;
  resume(): void;
  /** Resolves once every entry has been delivered or has become a dead letter. */
  idle(): Promise<void>;
  stop(): Promise<void>;
  stats(): RelayStats;
}

const localCluster: ClusterName = { project: 'local', location: 'local', cluster: 'local' };

const localDelivery = {
  backoff: { firstMs: 100, longestMs: 10_000 },
  maxAttempts: 5,
  ackDeadlineSeconds: 600,
  concurrency: 8,
  capacity: 10_000,
};

/** Starts a log sink and a push subscription, which connect a cluster's audit log with the audit function. */
export async function startAuditRelay(options: AuditRelayOptions): Promise<AuditRelay> {
  const { cluster = localCluster, log } = options;
  const subscription = startPushSubscription({
    ...localDelivery,
    ...options.delivery,
    endpoint: options.push,
    subscription: `projects/${cluster.project}/subscriptions/audit`,
    onDeadLetter(letter) {
      const { message, attempts, why } = letter;
      log('audit entry not delivered, left to the next resync', {
        messageId: message.messageId,
        attempts,
        why,
      });
      options.onDeadLetter?.(letter);
    },
  });
  const sink = createSink(options, cluster, subscription.publish);
  const server = createAuditWebhook(sink.accept).listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    accept: sink.accept,
    select: sink.select,
    pause: subscription.pause,
    resume: subscription.resume,
    idle: subscription.idle,
    stats: () => ({ ...subscription.stats(), ...sink.stats() }),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, subscription.stop()]);
    },
  };
}

function createSink(
  first: RelayedTypes,
  cluster: ClusterName,
  publish: (message: Message) => void,
) {
  const conditionsFor = ({ kinds, ownIdentity, namespaces }: RelayedTypes) =>
    sinkConditions(kinds, { ...cluster, ownIdentity, namespaces });
  let conditions = conditionsFor(first);
  let received = 0;
  let published = 0;
  const excluded: Record<string, number> = {};
  return {
    select(selection: RelayedTypes): void {
      conditions = conditionsFor(selection);
    },
    accept(events: readonly unknown[]): void {
      for (const event of events) {
        received++;
        const receivedAt = new Date().toISOString();
        const entry = logEntryOf(event, { ...cluster, receivedAt });
        if (entry === undefined) continue;
        const refusal = sinkRefusal(conditions, entry);
        if (refusal !== undefined) excluded[refusal] = (excluded[refusal] ?? 0) + 1;
        else publish(messageOf(entry, `${++published}`, receivedAt));
      }
    },
    stats: (): Omit<RelayStats, keyof PushStats> => ({ received, excluded: { ...excluded } }),
  };
}

function messageOf(entry: object, messageId: string, publishTime: string): Message {
  return {
    data: Buffer.from(JSON.stringify(entry)).toString('base64'),
    attributes: { 'logging.googleapis.com/timestamp': publishTime },
    messageId,
    publishTime,
  };
}
