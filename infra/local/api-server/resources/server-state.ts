import type { Store } from '../storage/store.ts';
import type { Registry } from './registry.ts';
import type { ServiceAllocator } from './strategy.ts';
import type { Webhooks } from './webhooks.ts';

/** What the verbs work on. */
export interface ServerState {
  readonly store: Store;
  readonly registry: Registry;
  readonly services: ServiceAllocator;
  readonly webhooks: Webhooks;
  readonly clock: () => Date;
  readonly uid: () => string;
}
