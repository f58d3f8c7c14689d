import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { afterEach, beforeEach, expect } from 'vitest';
import { parse, stringify } from 'yaml';
import type { DoctorCheck } from '../../infra/cli/doctor/doctor-check.ts';
import { customResourceDefinition } from '../../infra/generate/crd.ts';
import { type ApplyManifest, applyTo, install } from '../../infra/generate/install.ts';
import { rulesFor } from '../../infra/generate/rbac.ts';
import type { Environment } from '../../shared/environment.ts';
import type { Identity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { type Api, openApi } from '../scenarios/api.ts';
import { config, kinds } from '../support/config.ts';
import { present } from '../support/present.ts';
import { type Output, runAlone } from './command-runner.ts';

/** How a server differs from the local cluster. */
export interface Front {
  /** Impersonates users that have a token; otherwise the header is ignored. */
  readonly impersonates?: boolean;
  readonly version?: {
    readonly major: string;
    readonly minor: string;
    readonly gitVersion: string;
  };
  readonly skewMs?: number;
  /** Serves SubjectAccessReview for users that have a token, or refuses it. */
  readonly reviews?: 'allowed' | 'forbidden';
}

export interface DoctorTestbed {
  readonly cluster: LocalCluster;
  readonly apply: ApplyManifest;
  readonly directory: string;
  /** Writes a new kubeconfig for a user; without a user, for the administrator. */
  kubeconfig(user?: string, url?: string): Promise<string>;
  run(argv: readonly string[], env?: Environment, identity?: Identity): Promise<Output>;
  /** Starts a server in front of the cluster that differs in these points; resolves with its URL. */
  front(how: Front): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a cluster in which each user has the token `token-USER`. */
export async function openDoctorTestbed(users: readonly string[]): Promise<DoctorTestbed> {
  const directory = await mkdtemp(join(tmpdir(), 'doctor-'));
  const tokens = Object.fromEntries(users.map((username) => [`token-${username}`, { username }]));
  const cluster = await startLocalCluster({ tokens, controllers: 'paused' });
  const fronts: (() => void)[] = [];
  let files = 0;
  return {
    cluster,
    apply: applyTo(cluster.url),
    directory,
    async kubeconfig(user, url) {
      const file = join(directory, `kubeconfig-${++files}`);
      const config = parse(cluster.kubeconfig(user && `token-${user}`)) as {
        clusters: { cluster: { server: string } }[];
      };
      if (url !== undefined) config.clusters[0]!.cluster.server = url;
      await writeFile(file, stringify(config));
      return file;
    },
    run: (argv, env = {}, identity = config.identity) =>
      runAlone(argv, { env, identity, home: directory }),
    async front(how) {
      const { url, close } = await openFront(cluster.url, how);
      fronts.push(close);
      return url;
    },
    async stop() {
      for (const close of fronts) close();
      await cluster.stop();
      await rm(directory, { recursive: true });
    },
  };
}

const type = (group: string, kind: string, plural: string) => ({
  group,
  version: 'v1',
  kind,
  plural,
});
export const definitions = type(
  'apiextensions.k8s.io',
  'CustomResourceDefinition',
  'customresourcedefinitions',
);
export const clusterRoles = type('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles');
export const clusterRoleBindings = type(
  'rbac.authorization.k8s.io',
  'ClusterRoleBinding',
  'clusterrolebindings',
);

/** Number of permissions that the functions need in a namespace, one for each verb on each type. */
export const permissionsInNamespace = rulesFor(kinds)
  .map(({ apiGroups, resources, verbs }) => apiGroups.length * resources.length * verbs.length)
  .reduce((sum, count) => sum + count, 0);
export const allPermissions = permissionsInNamespace + kinds.length;

export interface Visit {
  readonly as?: string;
  readonly url?: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function visit(ground: DoctorTestbed, { as, url, argv = [], env = {} }: Visit = {}) {
  const kubeconfig = await ground.kubeconfig(as, url);
  const { code, out, err } = await ground.run(
    ['doctor', '--kubeconfig', kubeconfig, '-o', 'json', ...argv],
    env,
  );
  const { checks, ok } = JSON.parse(out) as {
    readonly checks: readonly DoctorCheck[];
    readonly ok: boolean;
  };
  expect(ok).toBe(code === 0);
  const helpless = checks.filter(({ state, remedy = '' }) => state === 'fail' && remedy === '');
  expect(helpless, 'every failure has a remedy').toEqual([]);
  const of = (state: DoctorCheck['state']): readonly string[] =>
    checks.filter((check) => check.state === state).map((one) => `${one.name}: ${one.message}`);
  return { code, err, checks, ok: of('ok'), warnings: of('warn'), failures: of('fail') };
}

/** Removes the permission to read CRDs from the functions' role, as in earlier versions. */
export async function forbidDefinitions(cluster: Api): Promise<void> {
  const role = await cluster.get(clusterRoles, 'serverless-reconciler');
  const rules = (role.rules as readonly { readonly resourceNames?: object }[]).filter(
    ({ resourceNames }) => resourceNames === undefined,
  );
  await cluster.replace(clusterRoles, { ...role, rules } as never);
}

/** Installs the CRD of a kind as another release of the kind defined it. */
export async function reinstall(
  cluster: Api,
  kind: Kind,
  change: (spec: Definition) => void,
): Promise<void> {
  const definition = structuredClone(customResourceDefinition(kind)) as unknown as Manifest;
  change(definition.spec);
  const { name } = definition.metadata;
  await cluster.remove(definitions, name);
  await cluster.create(definitions, name, { spec: definition.spec as never });
}

interface Manifest {
  readonly metadata: { readonly name: string };
  readonly spec: Definition;
}
interface Definition {
  versions: { name: string }[];
}

/** Installs the reconciler for the user `functions`; the API client is the administrator's. */
async function openInstallation() {
  const ground = await openDoctorTestbed(['functions', 'jane']);
  await installAs(ground.apply, 'functions');
  const client = createClient({ url: ground.cluster.url });
  return {
    ground,
    cluster: openApi(client),
    async stop() {
      await client.close();
      await ground.stop();
    },
  };
}

/** Opens an installation before each test, and stops it after the test. */
export function useInstallation(): Omit<Installation, 'stop'> {
  let installation: Installation | undefined;
  beforeEach(async () => {
    installation = await openInstallation();
  });
  afterEach(() => installation?.stop());
  return {
    ground: present(() => installation?.ground),
    cluster: present(() => installation?.cluster),
  };
}

type Installation = Awaited<ReturnType<typeof openInstallation>>;

const installAs = (apply: ApplyManifest, user: string): Promise<void> =>
  install(apply, { kinds, user, samples: false });

async function openFront(target: string, { impersonates, version, skewMs = 0, reviews }: Front) {
  const server = createServer((request, response) => {
    void respond(request).then(({ status, type, body }) => {
      const date = new Date(Date.now() + skewMs).toUTCString();
      response.writeHead(status, { 'content-type': type, date }).end(body);
    });
  });
  const respond = async (request: IncomingMessage) => {
    if (request.url === '/version' && version !== undefined)
      return { status: 200, type: 'application/json', body: JSON.stringify(version) };
    const { authorization, 'content-type': type, 'impersonate-user': as } = request.headers;
    let body = await buffer(request);
    let url = request.url ?? '';
    let token = impersonates && as !== undefined ? `Bearer token-${as}` : authorization;
    if (reviews !== undefined && url.endsWith('/subjectaccessreviews')) {
      if (reviews === 'forbidden')
        return { status: 403, type: 'application/json', body: '{"message": "not you"}' };
      const review = JSON.parse(body.toString()) as { spec: { user: string; groups: string[] } };
      const { user, groups, ...spec } = review.spec;
      expect(groups).toContain('system:authenticated');
      token = `Bearer token-${user}`;
      url = url.replace('/subject', '/selfsubject');
      body = Buffer.from(JSON.stringify({ ...review, kind: 'SelfSubjectAccessReview', spec }));
    }
    const reply = await fetch(target + url, {
      method: request.method ?? 'GET',
      headers: {
        ...(token === undefined ? {} : { authorization: token }),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      ...(body.length === 0 ? {} : { body }),
    });
    const text = await reply.text();
    return { status: reply.status, type: reply.headers.get('content-type') ?? '', body: text };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
