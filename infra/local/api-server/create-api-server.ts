import { createAuthorizer } from './authorization/rbac.ts';
import { serveDefinitions } from './custom-resources/definition-lifecycle.ts';
import type { ApiServer } from './dispatch/api-server.ts';
import { builtInResources } from './kinds/all.ts';
import type { BuiltInSchemas } from './kinds/schemas.ts';
import { createServiceAllocator } from './kinds/service/allocator.ts';
import { createRegistry } from './resources/registry.ts';
import { createStore } from './storage/store.ts';
import { createWebhooks } from './writes/webhooks.ts';

/** An API server without a network: storage, resources and rules, ready to execute requests. */
export function createApiServer(
  schemas: BuiltInSchemas,
  { clock, uid }: Pick<ApiServer, 'clock' | 'uid'>,
): ApiServer {
  const store = createStore();
  const services = createServiceAllocator();
  store.subscribe(services.onChange);
  const server: ApiServer = {
    store,
    version: schemas.version,
    registry: createRegistry(builtInResources(schemas)),
    services,
    webhooks: createWebhooks(),
    authorizer: createAuthorizer(store),
    clock,
    uid,
  };
  serveDefinitions(server, schemas.definitions);
  return server;
}
