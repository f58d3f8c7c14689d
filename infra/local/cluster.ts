import { randomUUID } from 'node:crypto';
import { stringify } from 'yaml';
import { bootstrap } from './api-server/bootstrap.ts';
import { createApiServer } from './api-server/create-api-server.ts';
import { createPathAnswers } from './api-server/discovery/paths.ts';
import { createFaults, type Faults } from './api-server/faults/fault.ts';
import { createInterceptors, type Intercept } from './api-server/faults/interceptors.ts';
import { close, listen, portOf } from './api-server/http/listen.ts';
import { createRequestLog, type RequestLog } from './api-server/http/request-log.ts';
import { createWatchStreams } from './api-server/http/watch-stream.ts';
import { readBuiltInSchemas } from './api-server/kinds/schemas.ts';
import { createProtobufReader } from './api-server/protobuf/decode.ts';
import type { Webhook, Webhooks } from './api-server/resources/webhooks.ts';
import { assertOptions, type LocalClusterOptions } from './cluster-options.ts';
import { type Controllers, startControllers } from './controllers/controllers.ts';

export type { LocalClusterOptions };

/** A Kubernetes cluster inside this process. */
export interface LocalCluster {
  readonly url: string;
  readonly port: number;
  /** A kubeconfig, as YAML, for the user of the token or for the administrator. */
  readonly kubeconfig: (token?: string) => string;
  readonly requests: RequestLog;
  readonly faults: Faults;
  /** Adds a hook that runs before each request is carried out; returns a function that removes it. */
  readonly intercept: Intercept;
  /**
   * Adds an admission webhook for creates and updates; returns a function that removes it. It changes the
   * object in place, or returns why it refuses the write.
   */
  readonly admit: (webhook: Webhook) => () => void;
  /** Removes every fault, hook, webhook and freeze; stored objects stay. */
  readonly undisturb: () => void;
  readonly controllers: Controllers;
  /** Drops the history, like etcd's compaction: older list tokens and watches get a 410. */
  readonly compact: () => void;
  /**
   * Holds the events of all watches from now on, so that a client's cache is stale while the cluster moves
   * on; the returned function sends them, in order.
   */
  readonly freeze: () => () => void;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a Kubernetes API server with its controllers on 127.0.0.1, in this process.
 *
 * Guarantees: several may run at once. `stop` ends all watches and connections, and nothing remains.
 * Caveats: refuses unsupported requests; see the README next to this file.
 */
export async function startLocalCluster(options: LocalClusterOptions = {}): Promise<LocalCluster> {
  assertOptions(options);
  const schemas = readBuiltInSchemas();
  const { server, controllers } = startServer(schemas, options);
  const disturbances = createDisturbances(server.webhooks);
  const { faults, interceptors, watches } = disturbances;
  const requests = createRequestLog();
  const stopping = new AbortController();
  const stopBackground = (): void => {
    controllers.stop();
    watches.close();
  };
  const http = await listen(
    {
      server,
      tokens: options.tokens ?? {},
      watches,
      answerPath: createPathAnswers(server.registry, schemas),
      fromProtobuf: createProtobufReader(),
      nextFault: faults.next,
      intercept: interceptors.run,
      log: requests.add,
      audit: options.onAudit ?? ignore,
      stopping: stopping.signal,
    },
    options.port ?? 0,
  ).catch((error: unknown) => {
    stopBackground();
    throw error;
  });
  const url = `http://127.0.0.1:${portOf(http)}`;
  return {
    url,
    port: portOf(http),
    kubeconfig: (token) => kubeconfigOf(url, token),
    requests,
    faults,
    controllers,
    intercept: interceptors.add,
    admit: server.webhooks.add,
    undisturb: disturbances.clear,
    compact: () => server.store.compact(),
    freeze: watches.freeze,
    stop: async () => {
      stopping.abort();
      stopBackground();
      await close(http);
    },
  };
}

const ignore = (): void => undefined;

/** The API server with the objects of every cluster, and its controllers. */
function startServer(schemas: ReturnType<typeof readBuiltInSchemas>, options: LocalClusterOptions) {
  const { clock = () => new Date(), uid = randomUUID } = options;
  const server = createApiServer(schemas, { clock, uid });
  const controllers = startControllers(server, {
    paused: options.controllers === 'paused',
    podsReadyAfterMs: options.podsReadyAfterMs ?? 0,
    onAudit: options.onAudit ?? ignore,
    onError: options.onError ?? reportLater,
  });
  bootstrap(server);
  return { server, controllers };
}

function createDisturbances(webhooks: Webhooks) {
  const faults = createFaults();
  const interceptors = createInterceptors();
  const watches = createWatchStreams();
  return {
    faults,
    interceptors,
    watches,
    clear(): void {
      faults.clear();
      interceptors.clear();
      webhooks.clear();
      watches.thaw();
    },
  };
}

// A controller's error must neither be lost nor break the request during which it occurred.
function reportLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function kubeconfigOf(server: string, token: string | undefined): string {
  const name = 'local';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    // Without this field, clients refuse a server without TLS.
    clusters: [{ name, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: token === undefined ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
