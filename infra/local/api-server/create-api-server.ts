import { createAuthorizer } from './authorization/rbac.ts';
import { serveDefinitions } from './custom-resources/definition-lifecycle.ts';
import { builtInResources } from './resources/built-in.ts';
import type { BuiltInSchemas } from './resources/built-in-schemas.ts';
import { createRegistry } from './resources/registry.ts';
import { createServiceAllocator } from './resources/service-allocator.ts';
import type { ApiServer } from './server.ts';
import { createStore } from './storage/store.ts';

/** An API server without a network: storage, resources and rules, ready to execute requests. */
export const createApiServer = (
  schemas: BuiltInSchemas,
  { clock, uid }: Pick<ApiServer, 'clock' | 'uid'>,
): ApiServer => {
  const store = createStore();
  const services = createServiceAllocator();
  store.subscribe(services.heed);
  const server: ApiServer = {
    store,
    version: schemas.version,
    registry: createRegistry(builtInResources(schemas)),
    services,
    authorizer: createAuthorizer(store),
    clock,
    uid,
  };
  serveDefinitions(server, schemas.definitions);
  return server;
};
