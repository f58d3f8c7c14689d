import type { Authorizer } from './authorization/rbac.ts';
import type { Registry } from './resources/registry.ts';
import type { ServiceAllocator } from './resources/service-allocator.ts';
import type { Store } from './storage/store.ts';

/** What every request works on. */
export interface ApiServer {
  readonly store: Store;
  readonly registry: Registry;
  readonly services: ServiceAllocator;
  readonly authorizer: Authorizer;
  /** The version of Kubernetes it behaves like. */
  readonly version: string;
  readonly clock: () => Date;
  readonly uid: () => string;
}
