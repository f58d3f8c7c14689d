import { randomBytes } from 'node:crypto';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { install } from '../infra/generate/install.ts';
import { parseConfig } from '../shared/config/config.ts';
import {
  defineConfig,
  isReconcilerConfig,
  type ReconcilerConfig,
} from '../shared/config/define-config.ts';
import { deliverToClusters, resyncClusters } from '../shared/controller/clusters.ts';
import type { AuditResult } from '../shared/controller/deliver.ts';
import { createReconciler, type Reconciler } from '../shared/controller/reconciler.ts';
import { isFields, present } from '../shared/json.ts';
import type { Kind, Note } from '../shared/kinds/kind.ts';
import {
  apiVersionOf,
  includesType,
  isClusterScoped,
  type ResourceType,
  titleOf,
} from '../shared/kubernetes.ts';
import { createLog } from '../shared/log.ts';
import { controllerOf } from '../shared/plan/observed/observed.ts';
import { eventType } from '../shared/plan/status/kubernetes-events.ts';
import type { ReconcileRequest } from '../shared/reconcile-request.ts';
import type { Report } from '../shared/resync/report.ts';
import { definitionType } from '../shared/rollout/pause.ts';
import {
  requireEnvironment,
  requireName,
  requireOptions,
  requireResource,
  requireThat,
  requireType,
} from './arguments.ts';
import { NotServedError } from './discovery.ts';
import { faultOf, type LawFailure } from './failure.ts';
import {
  type AppliedResource,
  environmentOptions,
  type SentRequest,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from './test-environment.ts';
import {
  type AppliedObject,
  everywhere,
  type InNamespace,
  type LiveObject,
  openUser,
  RefusedError,
  type User,
} from './user.ts';

export interface OpenTestEnvironment {
  readonly env: TestEnvironment;
  readonly reconciler: Reconciler;
  /** Runs the resync function for other kinds, such as earlier versions, on the same cluster. */
  readonly resyncAs: (kinds: readonly Kind[]) => Promise<void>;
}

export const reconcilerUser = 'reconciler@test';

/** Creates a test environment for a configuration, or for kinds. */
export const createTestEnvironment = async (
  config: ReconcilerConfig | { readonly kinds: readonly Kind[] },
  options: TestEnvironmentOptions = {},
): Promise<TestEnvironment> => (await openTestEnvironment(config, options)).env;

export async function openTestEnvironment(
  given: ReconcilerConfig | { readonly kinds: readonly Kind[] },
  more: TestEnvironmentOptions = {},
): Promise<OpenTestEnvironment> {
  requireOptions(more, environmentOptions);
  const { environment = {}, onLog = () => undefined, ...options } = more;
  requireEnvironment(environment);
  requireThat(typeof onLog === 'function', ['onLog', onLog], 'a function');
  requireThat(
    isFields(given),
    ['the configuration', given],
    'the result of defineConfig, or { kinds }',
  );
  const config = configOf(given, environment);
  const audited: object[] = [];
  const token = randomBytes(24).toString('base64url');
  const cluster = await startLocalCluster({
    ...options,
    tokens: { [token]: { username: reconcilerUser } },
    onAudit: (event) => audited.push(event),
  });
  const log = createLog(onLog, config.logLevel);
  const open = (of: Reconciler['config']): Reconciler =>
    createReconciler(of, log, {
      ...present({ now: options.clock }),
      backoffMs: 2,
      credentials: async () => ({
        server: cluster.url,
        access: async () => ({ tls: {}, authorization: `Bearer ${token}` }),
      }),
    });
  const reconciler = open(config);
  const resyncAs = (kinds: readonly Kind[]) => resyncOnce(open({ ...config, kinds }));
  const client = createClient({ url: cluster.url });
  const close = async (): Promise<void> => {
    await reconciler.close();
    await client.close();
    await cluster.stop();
  };
  const user = whileNotServed(openUser(client), config.kinds);
  await installInto(user, config).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  audited.length = 0;
  cluster.requests.reset();
  const acting = actionsOf({ cluster, user, reconciler, audited });
  const readers = readersOf({ cluster, user });
  const base = { kinds: config.kinds, cluster, close, [Symbol.asyncDispose]: close };
  return { env: { ...base, ...acting, ...readers }, reconciler, resyncAs };
}

async function resyncOnce(reconciler: Reconciler): Promise<void> {
  await resyncClusters([reconciler], {});
  await reconciler.close();
}

function configOf(
  given: Parameters<typeof openTestEnvironment>[0],
  environment: Readonly<Record<string, string>>,
): Reconciler['config'] {
  const reconcilerConfig = isReconcilerConfig(given) ? given : defineConfig(given);
  const config = parseConfig(reconcilerConfig, {
    ...reconcilerConfig.localEnvironment,
    CLUSTER_CONTEXT: 'test',
    SETTLE_SECONDS: '0',
    OWN_IDENTITY: reconcilerUser,
    ...environment,
  });
  return { ...config, cluster: { name: 'test', context: 'test' } };
}

function installInto(user: User, { identity, kinds }: Reconciler['config']): Promise<void> {
  const put = (_: string, manifest: object) => user.apply(manifest as AppliedObject);
  return install(put, { name: identity.name, kinds, user: reconcilerUser, samples: false });
}

/** Returns no objects of a type that is not served yet, if a kind owns both the type and CustomResourceDefinitions. */
function whileNotServed(user: User, kinds: readonly Kind[]): User {
  const installers = kinds.filter(({ owns }) => includesType(owns, definitionType));
  const none =
    <T>(type: ResourceType, nothing: T) =>
    (error: unknown): T => {
      const is404 = error instanceof RefusedError && error.status.code === 404;
      const isInstalled = installers.some(({ owns }) => includesType(owns, type));
      if (isInstalled && (is404 || error instanceof NotServedError)) return nothing;
      throw error;
    };
  return {
    ...user,
    get: (type, ...where) => user.get(type, ...where).catch(none(type, undefined)),
    list: (type, ...where) => user.list(type, ...where).catch(none(type, [])),
  };
}

interface Parts {
  readonly cluster: LocalCluster;
  readonly user: User;
  readonly reconciler: Reconciler;
  /** Still to be delivered. */
  readonly audited: object[];
}

type Actions = Pick<TestEnvironment, 'apply' | 'resync' | 'deliver' | 'fail'> & Omit<User, 'apply'>;

function actionsOf({ cluster, user, reconciler, audited }: Parts): Actions {
  const { settled } = cluster.controllers;
  const run = async <T>(act: () => Promise<object>): Promise<T> => {
    await settled();
    const result = await act();
    await settled();
    return result as T;
  };
  return {
    ...user,
    async delete(...args: Parameters<User['delete']>) {
      await user.delete(...args);
      await settled();
    },
    async apply(first: Kind | AppliedObject, resource?: AppliedResource): Promise<LiveObject> {
      if (resource === undefined) return user.apply(first as AppliedObject);
      requireType(first);
      requireResource(resource);
      return user.apply(objectOf(first as Kind, resource));
    },
    resync: (request: ReconcileRequest = {}) =>
      run<Report>(() => {
        audited.length = 0;
        return resyncClusters([reconciler], request);
      }),
    deliver: () =>
      run<AuditResult>(() => {
        const items = audited.splice(0);
        const body = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items };
        return deliverToClusters([reconciler], body, {});
      }),
    fail: (failure: LawFailure) => cluster.faults.add(faultOf(failure, reconcilerUser)),
  };
}

const objectOf = (
  kind: Kind,
  { name, namespace, spec = {}, ...metadata }: AppliedResource,
): AppliedObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, ...present({ namespace }), ...metadata },
  spec,
});

type Readers = Pick<TestEnvironment, 'requests' | 'children' | 'conditions' | 'events'>;

function readersOf({ cluster, user }: Pick<Parts, 'cluster' | 'user'>): Readers {
  const resourceOf = async (kind: Kind, name: string, where: InNamespace): Promise<LiveObject> => {
    const live = await user.get(kind, name, where);
    if (live !== undefined) return live;
    throw new Error(`there is no ${titleIn(kind, name, where)}`);
  };
  return {
    requests(): readonly SentRequest[] {
      const sent = cluster.requests.list().filter((one) => one.user === reconcilerUser);
      cluster.requests.reset();
      return sent.map(({ user: _, userAgent, bytes, group, ...one }) => ({
        ...one,
        isWrite: !['get', 'list', 'watch'].includes(one.verb) && !one.path.includes('dryRun=All'),
      }));
    },
    async children(kind: Kind, name: string, where: InNamespace = {}) {
      const { uid } = (await resourceOf(kind, name, where)).metadata;
      requireThat('owns' in kind, ['type', kind], 'a kind, because a child type has no children');
      const lists = await Promise.all(
        kind.owns.map((type) => user.list(type, isClusterScoped(kind) ? everywhere : where)),
      );
      return lists.flat().filter((live) => controllerOf(live)?.uid === uid);
    },
    async conditions(kind: Kind, name: string, where: InNamespace = {}) {
      const { status } = await resourceOf(kind, name, where);
      return Object.fromEntries((status?.conditions ?? []).map((one) => [one.type, one]));
    },
    async events(kind: Kind, name: string, where: InNamespace = {}) {
      requireType(kind);
      requireName(name);
      const fieldSelector = `involvedObject.kind=${kind.kind},involvedObject.name=${name}`;
      const found = await user.list(eventType, { ...where, fieldSelector });
      const version = ({ metadata }: LiveObject): number => Number(metadata.resourceVersion);
      return found.toSorted((a, b) => version(a) - version(b)) as (LiveObject & Note)[];
    },
  };
}

/** `Foo default/shop`; `Foo shop` if cluster-scoped. */
export const titleIn = (
  kind: Pick<Kind, 'kind' | 'scope'>,
  name: string,
  { namespace = 'default' }: InNamespace,
): string =>
  titleOf({ kind: kind.kind, name, namespace: isClusterScoped(kind) ? undefined : namespace });
