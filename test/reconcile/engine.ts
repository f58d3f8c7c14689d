import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { install } from '../../infra/generate/install.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { type Connection, connect } from '../../shared/cluster/http/connection.ts';
import { openCluster } from '../../shared/cluster/http-cluster.ts';
import { defaultIdentity, type Identity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import { groupResource, type JsonObject, type ResourceType } from '../../shared/kubernetes.ts';
import { createLog, type Log } from '../../shared/log.ts';
import type { ReconcileRequest } from '../../shared/reconcile-request.ts';
import type { Report } from '../../shared/resync/report.ts';
import { resync } from '../../shared/resync/resync.ts';
import { type Memory, openMemory } from '../../shared/run/memory-budget.ts';
import { nodePortsOf } from '../../shared/run/node-ports.ts';
import type { Policy, Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { type Api, applyManifest, openApi } from '../scenarios/api.ts';
import { kinds as installed } from '../support/config.ts';

export const kinds: readonly Kind[] = [website, foo];

/** Settings that may differ between runs. */
export interface Settings {
  readonly trigger: Policy['trigger'];
  readonly identity: Identity;
  readonly kinds: readonly Kind[];
  readonly namespaces: readonly string[] | undefined;
  readonly concurrency: number;
  readonly pruneLimit: (resources: number) => number;
  /** The rollout policy for changes of a kind's code; by default there are no rollouts. */
  readonly rollout: RolloutPolicy;
  readonly deadline: number;
  readonly settleSeconds: number;
  /** Replaces the pause between the passes of a settling run. */
  readonly wait: (ms: number) => Promise<unknown>;
  readonly now: () => Date;
  /** Wraps the cluster of a run. */
  readonly through: (cluster: Cluster) => Cluster;
}

/** Runs the engine as the functions do, on an embedded cluster of its own. */
export interface Engine {
  readonly cluster: LocalCluster;
  readonly admin: Api;
  /** Installs the definitions and permissions of further kinds. */
  install(of: readonly Kind[]): Promise<void>;
  /** Opens a fresh namespace, with the permissions of an administrator, for resources of these kinds. */
  place(of?: readonly Kind[]): Promise<Place>;
  run(request: ReconcileRequest, settings?: Partial<Settings>): Promise<Report>;
  /** All log lines at level warning or above. */
  readonly complaints: string[];
  stop(): Promise<void>;
}

/** The parts of an engine that scripts use in one namespace. */
export interface Stage extends Pick<Engine, 'admin' | 'place'> {
  readonly cluster: Pick<LocalCluster, 'controllers' | 'requests'>;
}

export interface Place {
  readonly namespace: string;
  readonly kinds: readonly Kind[];
  readonly api: Api;
  /** Resyncs this namespace only. */
  resync(settings?: Partial<Settings>): Promise<Report>;
  /** Lists the engine's requests in this namespace, oldest first. */
  requests(): readonly RequestRecord[];
  /** Returns a node port that no other test uses. */
  nodePort(): number;
}

export type RequestRecord = ReturnType<LocalCluster['requests']['list']>[number];

export const engineUser = 'engine';
const token = 'token-of-the-engine';
export const namespaceType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
};

export interface EngineOptions {
  readonly controllers?: 'running' | 'paused';
  /** The clock of the cluster and of every run. */
  readonly clock?: () => Date;
  readonly memory?: Memory;
}

export async function openEngine({
  controllers = 'running',
  clock = () => new Date(),
  memory = openMemory(),
}: EngineOptions = {}): Promise<Engine> {
  const cluster = await startLocalCluster({
    controllers,
    clock,
    tokens: { [token]: { username: engineUser } },
  });
  const client = createClient({ url: cluster.url });
  const connection = connect({
    server: cluster.url,
    access: async () => ({ tls: {}, authorization: `Bearer ${token}` }),
  });
  const apply = (path: string, manifest: object) =>
    applyManifest(client, path, manifest as JsonObject);
  const present = new Map<string, Kind>();
  const installMore = async (of: readonly Kind[]): Promise<void> => {
    for (const kind of of) present.set(groupResource(kind), kind);
    await install(apply, { kinds: [...present.values()], user: engineUser, samples: false });
  };
  await installMore(installed);
  const admin = openApi(client);
  const complaints: string[] = [];
  const log = createLog((line) => complaints.push(line), 'WARNING');
  const run = runner({ connection, clock, log, memory });

  return {
    cluster,
    admin,
    complaints,
    run,
    install: installMore,
    place: openPlaces({ client, run, requests: cluster.requests }),
    async stop() {
      await connection.close();
      await client.close();
      await cluster.stop();
    },
  };
}

/** Opens a fresh namespace with each call. */
export function openPlaces({
  client,
  run,
  requests,
}: {
  readonly client: Client;
  readonly run: Engine['run'];
  readonly requests: LocalCluster['requests'];
}): Engine['place'] {
  const admin = openApi(client);
  const nodePort = numbers(30_100, 32_700);
  let places = 0;
  return async (of = kinds) => {
    const namespace = `case-${++places}`;
    await admin.create(namespaceType, namespace, {});
    return {
      namespace,
      nodePort,
      kinds: of,
      api: openApi(client, namespace),
      resync: (settings) => run({}, { kinds: of, namespaces: [namespace], ...settings }),
      requests: () =>
        requests.list().filter((one) => one.user === engineUser && one.namespace === namespace),
    };
  };
}

export interface Door {
  readonly memory?: Memory;
  readonly connection: Connection;
  readonly clock: () => Date;
  readonly log: Log;
}

/** Begins runs as the functions do, each with its own client, limits and deadline. */
export const runner =
  ({ connection, clock, log, memory = openMemory() }: Door): Engine['run'] =>
  (request, settings = {}) => {
    const { through = (port) => port, now = clock } = settings;
    const { deadline = now().getTime() + 60_000 } = settings;
    const limits = {
      backoffMs: 2,
      concurrency: settings.concurrency ?? 8,
      deadline: Date.now() + deadline - now().getTime() + 15_000,
    };
    const cluster = through(openCluster(connection, limits));
    const clients = { identity: settings.identity ?? defaultIdentity, log, now };
    const run: Run = {
      cluster,
      clients,
      limits: { deadline, memory: memory('local') },
      policy: {
        trigger: settings.trigger ?? 'resync',
        seed: now().getTime(),
        rollout: settings.rollout,
      },
      nodePorts: nodePortsOf(cluster),
    };
    return resync(run, [request], {
      area: { kinds: settings.kinds ?? kinds, namespaces: settings.namespaces },
      concurrency: limits.concurrency,
      pruneLimit: settings.pruneLimit ?? ((resources) => Math.max(10, Math.floor(resources / 5))),
      settleSeconds: settings.settleSeconds ?? 0,
      ...(settings.wait === undefined ? {} : { wait: settings.wait }),
    });
  };

/** Counts from `first` to `last`, again and again. */
export function numbers(first: number, last: number): () => number {
  let next = first;
  return () => {
    const number = next;
    next = next === last ? first : next + 1;
    return number;
  };
}

/** Reports whether a request is a write. */
export const isWriteRequest = ({ verb, path }: RequestRecord): boolean =>
  !['get', 'list', 'watch'].includes(verb) && !path.includes('dryRun=All');
