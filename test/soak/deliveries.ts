import { createRandom } from '@serverless-reconciler/local-cluster/random';
import { type AuditRelay, startAuditRelay } from '../../infra/start/audit-relay/relay.ts';
import { reconciler } from '../scenarios/test-cluster.ts';
import { kinds } from '../support/config.ts';

/** Delivers audit events to the audit functions; loses, duplicates or delays some of them. */
export interface Deliveries {
  readonly accept: (events: readonly unknown[]) => void;
  readonly delivered: () => number;
  /** Stops all deliveries. */
  readonly stop: () => Promise<void>;
}

export async function startDeliveries(push: URL, seed: number): Promise<Deliveries> {
  const random = createRandom(seed);
  const waiting = new Set<NodeJS.Timeout>();
  const relay: AuditRelay = await startAuditRelay({
    push,
    kinds,
    ownIdentity: [reconciler],
    delivery: { maxAttempts: 5 },
    log: () => undefined,
  });
  const later = (event: unknown): void => {
    const timer = setTimeout(() => {
      waiting.delete(timer);
      relay.accept([event]);
    }, random.below(4_000));
    waiting.add(timer);
  };
  return {
    accept(events) {
      for (const event of events) {
        if (random.chance(0.1)) continue;
        if (random.chance(0.2)) later(event);
        else relay.accept([event]);
        if (random.chance(0.1)) later(event);
      }
    },
    delivered: () => relay.stats().delivered,
    async stop() {
      for (const timer of waiting) clearTimeout(timer);
      await relay.stop();
    },
  };
}
