import { randomUUID } from 'node:crypto';
import { administrator } from './api-server/authentication/user.ts';
import { bootstrap } from './api-server/bootstrap.ts';
import { createApiServer } from './api-server/create-api-server.ts';
import { resolveTarget } from './api-server/dispatch/resolve.ts';
import { createRequestLog, type RequestLog } from './api-server/http/request-log.ts';
import { resourceResult } from './api-server/http/result.ts';
import { readBuiltInSchemas } from './api-server/kinds/schemas.ts';
import type { KubeObject } from './api-server/objects/object.ts';
import { type RequestInfo, requestInfo } from './api-server/requests/request-info.ts';
import { keyOf } from './api-server/storage/stored.ts';
import { storable } from './api-server/writes/storable.ts';
import { type Controllers, startControllers } from './controllers/controllers.ts';

/** A cluster without HTTP, ten times as fast: requests are function calls. */
export interface InProcessCluster {
  readonly controllers: Controllers;
  readonly requests: RequestLog;
  /** Executes a request to a resource with an administrator's rights; it is logged under `user`. */
  readonly send: (request: InProcessRequest) => InProcessAnswer;
  /**
   * Stores an object unchecked, as if another API server had stored it. Without an object, removes the stored object.
   * Forgets the history, which would keep every such object in memory. Throws if no served type has this path.
   */
  readonly restore: (path: string, object: KubeObject | undefined) => void;
  readonly stop: () => void;
}

export interface InProcessRequest {
  readonly user: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly contentType: string;
  readonly body: unknown;
}

export interface InProcessAnswer {
  readonly code: number;
  readonly text: string;
  readonly value: unknown;
}

const userAgent = 'in-process';

/** Starts an API server with paused controllers, whose errors are thrown. */
export function startInProcessCluster(): InProcessCluster {
  const requests = createRequestLog();
  const server = createApiServer(readBuiltInSchemas(), {
    clock: () => new Date(),
    uid: randomUUID,
  });
  const controllers = startControllers(server, {
    paused: true,
    podsReadyAfterMs: 0,
    onAudit: () => undefined,
    onError(error) {
      throw error;
    },
  });
  bootstrap(server);

  function send(request: InProcessRequest): InProcessAnswer {
    const { user, path } = request;
    const exchange = exchangeOf(request);
    const result = resourceResult(server, exchange);
    if (result.kind !== 'answer') throw new Error('a watch needs HTTP');
    const { code, body: text } = result.answer;
    const { plural: resource, ...attributes } = exchange.info;
    requests.add({
      ...attributes,
      resource,
      user,
      userAgent,
      status: code,
      bytes: text.length,
      path,
    });
    return { code, text, value: JSON.parse(text) };
  }

  return { controllers, requests, send, restore: restoreInto(server), stop: controllers.stop };
}

/** Stores or removes objects without the checks of a request. */
const restoreInto =
  ({ registry, store }: ReturnType<typeof createApiServer>): InProcessCluster['restore'] =>
  (path, object) => {
    const info = infoOf('GET', path, new URLSearchParams());
    const { served, namespace, name } = resolveTarget(registry, info, () => undefined);
    const { collection, strategy } = served.resource;
    if (object === undefined) store.remove(collection, keyOf(namespace, name));
    else
      store.put(
        collection,
        // The store sets the version in the metadata.
        storable(served, { ...object, metadata: { ...object.metadata } }),
        strategy.selectableFields?.(object),
      );
    store.compact();
  };

function infoOf(method: string, path: string, query: URLSearchParams): RequestInfo {
  const info = requestInfo(method, path, query);
  if (info === undefined) throw new Error(`${path} is not a resource`);
  return info;
}

/** Builds a request as if an administrator had sent it over HTTP. */
function exchangeOf({ method, path: url, contentType, body }: InProcessRequest) {
  const [path = '', search] = url.split('?', 2);
  const query = new URLSearchParams(search);
  return {
    id: '',
    method,
    path,
    isMalformed: false,
    url,
    query,
    info: infoOf(method, path, query),
    user: administrator,
    userAgent,
    accept: 'application/json',
    contentType,
    gzip: false,
    received: new Date(),
    body: body === undefined ? '' : JSON.stringify(body),
  };
}
