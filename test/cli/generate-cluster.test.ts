import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { generatedFiles } from '../../infra/generate/files.ts';
import { rulesFor, rulesForDefinitions } from '../../infra/generate/rbac.ts';
import type { Environment } from '../../shared/environment.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { casesOf } from '../support/cases.ts';
import { kinds } from '../support/config.ts';
import { type How, runAlone } from './command-runner.ts';

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'generate-cluster-'));
});
afterAll(() => rm(home, { recursive: true }));

const run = (argv: readonly string[], env: Environment = {}, how: Pick<How, 'identity'> = {}) =>
  runAlone(['generate', ...argv], { home, env: { SETTLE_SECONDS: '', ...env }, ...how });

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: object;
  readonly readinessProbe?: object;
  readonly [field: string]: unknown;
}

interface PodSpec {
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly containers: readonly [Container];
  readonly [field: string]: unknown;
}

interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: PodSpec;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

const image = 'registry.example.com/reconciler:1';
const options = ['--image', image, '--namespace', 'rec'];

type Manifests = ReadonlyMap<string, Manifest>;

const known = new Map<string, Promise<Manifests>>();

/** Caches generated manifests, because generating them checks all kinds each time. */
function manifestsOf(...given: Parameters<typeof generated>): Promise<Manifests> {
  const key = JSON.stringify(given);
  const made = known.get(key) ?? generated(...given);
  known.set(key, made);
  return made;
}

async function generated(
  platform: 'kubernetes' | 'knative',
  more: readonly string[] = [],
  env: Environment = {},
): Promise<Manifests> {
  const { code, out, err } = await run([platform, ...options, ...more], env);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const documents = parseAllDocuments(out).map((document) => document.toJS() as Manifest);
  return new Map(
    documents.map((one) => {
      const { name: own, namespace = 'rec' } = one.metadata;
      return [`${one.kind} ${own}${namespace === 'rec' ? '' : ` in ${namespace}`}`, one];
    }),
  );
}

const name = 'serverless-reconciler';
const nameOf = {
  resync: `${name}-resync`,
  audit: `${name}-audit`,
  schedule: `${name}-schedule`,
  source: `${name}-source`,
};

const templateOf = (manifest: Manifest | undefined): PodTemplate => {
  const { spec } = manifest as unknown as {
    readonly spec: {
      readonly template?: PodTemplate;
      readonly jobTemplate?: { readonly spec: { readonly template: PodTemplate } };
    };
  };
  const template = spec.template ?? spec.jobTemplate?.spec.template;
  if (template === undefined) throw new Error(`${manifest?.kind} has no pod template`);
  return template;
};

const environmentOf = (manifest: Manifest | undefined): Readonly<Record<string, string>> => {
  const { env = [] } = templateOf(manifest).spec.containers[0];
  return Object.fromEntries(env.map(({ name: variable, value }) => [variable, value]));
};

const user = `system:serviceaccount:rec:${name}`;

describe('two reconcilers', () => {
  it.each(['kubernetes', 'knative'])('share no object with %s', async (platform) => {
    const namesOf = async (own: string): Promise<readonly string[]> => {
      const identity = { name: own };
      const { out } = await run([platform, ...options], {}, { identity });
      return parseAllDocuments(out)
        .map((document) => document.toJS() as Manifest)
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    };
    const [first, second] = await Promise.all([namesOf('a'), namesOf('b'.repeat(40))]);
    expect(first).toHaveLength(second.length);
    expect(first.filter((one) => second.includes(one))).toEqual([]);
    for (const one of second) expect(one.split(' ')[1]?.length).toBeLessThanOrEqual(52);
  });
});

describe('kubernetes', () => {
  it('prints two functions, a CronJob and the permissions of their service account', async () => {
    const made = await manifestsOf('kubernetes');
    expect([...made.keys()]).toEqual([
      `ClusterRole ${name}`,
      `ClusterRoleBinding ${name}`,
      `ServiceAccount ${name}`,
      `Deployment ${nameOf.resync}`,
      `Service ${nameOf.resync}`,
      `NetworkPolicy ${nameOf.resync}`,
      `CronJob ${nameOf.schedule}`,
      `Deployment ${nameOf.audit}`,
      `Service ${nameOf.audit}`,
    ]);
    expect(made.get(`ClusterRole ${name}`)?.rules).toEqual([
      ...rulesFor(kinds),
      ...rulesForDefinitions(kinds),
    ]);
    expect(made.get(`ClusterRoleBinding ${name}`)).toMatchObject({
      subjects: [{ kind: 'User', name: user }],
    });
    for (const { kind, metadata } of made.values())
      expect(metadata.namespace, kind).toBe(kind.startsWith('ClusterRole') ? undefined : 'rec');
  });

  it.each(['resync', 'audit'] as const)(
    'runs %s under restricted security settings, with a probe at /',
    async (target) => {
      const made = await manifestsOf('kubernetes');
      const { metadata, spec } = templateOf(made.get(`Deployment ${nameOf[target]}`));
      expect(spec).toMatchObject({
        serviceAccountName: name,
        automountServiceAccountToken: true,
        terminationGracePeriodSeconds: 60,
      });
      const [container] = spec.containers;
      expect(container).toMatchObject({
        image,
        readinessProbe: { httpGet: { path: '/', port: 8080 } },
        livenessProbe: { httpGet: { path: '/', port: 8080 } },
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
        resources: { limits: { memory: '512Mi' } },
      });
      expect(environmentOf(made.get(`Deployment ${nameOf[target]}`))).toEqual({
        FUNCTION_TARGET: target,
        NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=8 --max-old-space-size=384',
        OWN_IDENTITY: user,
      });
      const service = made.get(`Service ${nameOf[target]}`);
      expect(service?.spec).toMatchObject({
        selector: metadata.labels,
        ports: [{ port: 80, targetPort: 8080 }],
      });
    },
  );

  it('meets the restricted Pod Security Standard in each pod', async () => {
    const made = await manifestsOf('kubernetes');
    const pods = [...made.values()].filter(({ kind }) => /^(Deployment|CronJob)$/.test(kind));
    expect(pods).toHaveLength(3);
    for (const pod of pods)
      expect(templateOf(pod).spec.containers[0].securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
  });

  it('sets on no object the labels that identify children', async () => {
    const { out } = await run(['kubernetes', ...options]);
    expect(out).not.toMatch(/app\.kubernetes\.io\/(managed-by|part-of|instance)/);
  });

  it('creates a CronJob without a token, with one Job at a time and the timeout of a run', async () => {
    const made = await manifestsOf('kubernetes', ['--schedule', '*/2 * * * *'], {
      DEADLINE_SECONDS: '600',
    });
    const cronJob = made.get(`CronJob ${nameOf.schedule}`);
    expect(cronJob?.spec).toMatchObject({
      schedule: '*/2 * * * *',
      timeZone: 'Etc/UTC',
      concurrencyPolicy: 'Forbid',
      jobTemplate: { spec: { activeDeadlineSeconds: 660 } },
    });
    expect(templateOf(cronJob).spec.automountServiceAccountToken).toBe(false);
    expect(templateOf(cronJob).spec.containers[0].command?.at(-1)).toBe(`http://${nameOf.resync}/`);
    expect(made.get(`NetworkPolicy ${nameOf.resync}`)?.spec).toMatchObject({
      ingress: [{ from: [{ podSelector: { matchLabels: templateOf(cronJob).metadata.labels } }] }],
    });
  });

  it('passes on the settings of the environment, except those that select a cluster', async () => {
    const made = await manifestsOf('kubernetes', ['--namespaces', 'team-a,team-b'], {
      KINDS: 'Foo',
      AUTH_URL: 'https://auth.example.com/check',
      PRUNE_LIMIT: '50%',
      CLUSTER_CONTEXT: 'mine',
      FAN_OUT_TOPIC: 'projects/demo-project/topics/any',
    });
    expect(environmentOf(made.get(`Deployment ${nameOf.audit}`))).toEqual({
      FUNCTION_TARGET: 'audit',
      NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=8 --max-old-space-size=384',
      KINDS: 'Foo',
      NAMESPACES: 'team-a,team-b',
      AUTH_URL: 'https://auth.example.com/check',
      PRUNE_LIMIT: '50%',
      OWN_IDENTITY: user,
    });
    expect([...made.keys()].filter((key) => key.includes(' in '))).toEqual([
      `Role ${name} in team-a`,
      `RoleBinding ${name} in team-a`,
      `Role ${name} in team-b`,
      `RoleBinding ${name} in team-b`,
    ]);
  });

  it('admits only the API server to the audit function with --audit-from', async () => {
    const made = await manifestsOf('kubernetes', ['--audit-from', '10.0.0.0/28, fd00::/64']);
    expect(made.get(`NetworkPolicy ${nameOf.audit}`)?.spec).toMatchObject({
      podSelector: {
        matchLabels: templateOf(made.get(`Deployment ${nameOf.audit}`)).metadata.labels,
      },
      ingress: [
        { from: [{ ipBlock: { cidr: '10.0.0.0/28' } }, { ipBlock: { cidr: 'fd00::/64' } }] },
      ],
    });
  });

  it('adds a kustomization and the audit configuration of the API server with --out', async () => {
    const directory = join(home, 'kubernetes');
    const url = 'http://10.96.7.7/?cluster=eu';
    const { err } = await run(['kubernetes', ...options, '--audit-url', url, '--out', directory]);
    expect(err).toBe('');
    const read = async (file: string) => parse(await readFile(join(directory, file), 'utf8'));
    const files = await readdir(directory, { recursive: true, withFileTypes: true });
    const paths = files
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name).slice(directory.length + 1));
    const { resources } = await read('kustomization.yaml');
    expect([...resources, 'kustomization.yaml', 'audit/policy.yaml', 'audit/webhook.yaml']).toEqual(
      expect.arrayContaining(paths),
    );
    expect(await read('audit/webhook.yaml')).toMatchObject({
      clusters: [{ cluster: { server: url } }],
    });
    expect(await read('audit/policy.yaml')).toEqual(
      parse(generatedFiles(kinds, name).get('audit/policy.yaml') ?? ''),
    );
    const without = await run(['kubernetes', ...options, '--out', directory]);
    expect(without.err).toMatch(/^no --audit-url is given: .*AUDIT-ADDRESS/);
  });
});

describe('the script of the CronJob', () => {
  interface Case {
    readonly reason: string;
    readonly status: number | undefined;
    readonly want: { readonly code: number; readonly out: RegExp; readonly err: RegExp };
  }
  const cases: Record<string, Case> = {
    Done: {
      reason: 'the Job logs the report',
      status: 200,
      want: { code: 0, out: /^\{"said":200\}$/, err: /^$/ },
    },
    Busy: {
      reason: 'the Job fails and is retried',
      status: 503,
      want: { code: 1, out: /^\{"said":503\}$/, err: /^$/ },
    },
    Down: {
      reason: 'the Job logs the cause, fails and is retried',
      status: undefined,
      want: { code: 1, out: /^$/, err: /hang up|ECONNRESET/ },
    },
  };

  it.each(casesOf(cases))('%s', async (_, { status, want }) => {
    const methods: unknown[] = [];
    const server = createServer((request, response) => {
      methods.push(request.method);
      if (status === undefined) request.socket.destroy();
      else response.writeHead(status).end(JSON.stringify({ said: status }));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const made = await manifestsOf('kubernetes');
    const [command] = templateOf(made.get(`CronJob ${nameOf.schedule}`)).spec.containers;
    const [, ...args] = command.command ?? [];
    const { port } = server.address() as AddressInfo;
    const ended = await new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      execFile(
        process.execPath,
        [...args.slice(0, -1), `http://127.0.0.1:${port}/`],
        (error, out, err) => resolve({ code: error?.code ?? 0, out, err }),
      );
    });
    expect(ended).toEqual({
      code: want.code,
      out: expect.stringMatching(want.out),
      err: expect.stringMatching(want.err),
    });
    expect(methods).toEqual(['POST']);
  });
});

describe('knative', () => {
  it('prints two Services that scale to zero, and a source of resyncs', async () => {
    const made = await manifestsOf('knative', ['--schedule', '0 * * * *']);
    expect([...made.keys()]).toEqual([
      `ClusterRole ${name}`,
      `ClusterRoleBinding ${name}`,
      `ServiceAccount ${name}`,
      `Service ${nameOf.resync}`,
      `Service ${nameOf.audit}`,
      `PingSource ${nameOf.schedule}`,
      `ClusterRole ${nameOf.source}`,
      `ClusterRoleBinding ${nameOf.source}`,
      `ServiceAccount ${nameOf.source}`,
      `ApiServerSource ${nameOf.source}`,
    ]);
    for (const target of ['resync', 'audit'] as const) {
      const service = made.get(`Service ${nameOf[target]}`);
      expect(service).toMatchObject({
        apiVersion: 'serving.knative.dev/v1',
        metadata: { labels: { 'networking.knative.dev/visibility': 'cluster-local' } },
      });
      const { spec } = templateOf(service);
      expect(spec).toMatchObject({
        serviceAccountName: name,
        containerConcurrency: target === 'resync' ? 1 : 8,
        timeoutSeconds: 345,
        responseStartTimeoutSeconds: 345,
      });
      // Knative accepts only false here.
      expect(spec).not.toHaveProperty('automountServiceAccountToken');
      expect(environmentOf(service)).toMatchObject({ FUNCTION_TARGET: target, OWN_IDENTITY: user });
    }
    expect(made.get(`PingSource ${nameOf.schedule}`)).toMatchObject({
      apiVersion: 'sources.knative.dev/v1',
      spec: {
        schedule: '0 * * * *',
        data: '{}',
        contentType: 'application/json',
        sink: { ref: { apiVersion: 'serving.knative.dev/v1', name: nameOf.resync } },
      },
    });
  });
});

describe("the source of changes for Knative's audit Service", () => {
  const sourceIn = (made: Manifests): unknown => made.get(`ApiServerSource ${nameOf.source}`)?.spec;

  it('watches the types of the kinds and has no other permission', async () => {
    const made = await manifestsOf('knative');
    const { resources } = sourceIn(made) as { resources: readonly Record<string, unknown>[] };
    const own = { matchLabels: { 'app.kubernetes.io/managed-by': name } };
    const types = kinds.flatMap((kind) => [kind, ...kind.owns]);
    expect(new Set(resources.map(({ kind }) => kind))).toEqual(
      new Set(types.map(({ kind }) => kind)),
    );
    expect(resources).toContainEqual({ apiVersion: 'apps/v1', kind: 'Deployment', selector: own });
    expect(resources).toContainEqual({ apiVersion: 'example.com/v1alpha1', kind: 'Foo' });
    expect(sourceIn(made)).toMatchObject({
      mode: 'Reference',
      namespaceSelector: {},
      serviceAccountName: nameOf.source,
      sink: { ref: { apiVersion: 'serving.knative.dev/v1', name: nameOf.audit } },
    });
    expect(made.get(`ClusterRoleBinding ${nameOf.source}`)).toMatchObject({
      subjects: [{ kind: 'User', name: `system:serviceaccount:rec:${nameOf.source}` }],
    });
    const { rules } = made.get(`ClusterRole ${nameOf.source}`) as unknown as {
      rules: readonly { resources: readonly string[]; verbs: readonly string[] }[];
    };
    for (const { verbs } of rules) expect(verbs).toEqual(['get', 'list', 'watch']);
    expect(new Set(rules.flatMap((rule) => rule.resources))).toEqual(
      new Set(types.map(({ plural }) => plural)),
    );
  });

  it('sets SETTLE_SECONDS to 0 by default, because an event follows', async () => {
    const settle = async (env: Environment) =>
      environmentOf((await manifestsOf('knative', [], env)).get(`Service ${nameOf.audit}`));
    expect(await settle({})).toMatchObject({ SETTLE_SECONDS: '0' });
    expect(await settle({ SETTLE_SECONDS: '5' })).toMatchObject({ SETTLE_SECONDS: '5' });
  });

  it('watches only the given namespaces', async () => {
    const made = await manifestsOf('knative', ['--namespaces', 'team-a,team-b']);
    expect(sourceIn(made)).toMatchObject({
      namespaceSelector: {
        matchExpressions: [
          { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['team-a', 'team-b'] },
        ],
      },
    });
    expect([...made.keys()].filter((key) => key.includes(nameOf.source))).toEqual([
      `Role ${nameOf.source} in team-a`,
      `RoleBinding ${nameOf.source} in team-a`,
      `Role ${nameOf.source} in team-b`,
      `RoleBinding ${nameOf.source} in team-b`,
      `ServiceAccount ${nameOf.source}`,
      `ApiServerSource ${nameOf.source}`,
    ]);
  });
});

describe('an API server and generated manifests:', () => {
  let cluster: LocalCluster;
  let client: Client;
  beforeAll(async () => {
    cluster = await startLocalCluster({ controllers: 'paused' });
    client = createClient({ url: cluster.url });
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rec' } });
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  /** Applies server-side with strict validation; resolves with undefined if the kind is not served. */
  async function apply(manifest: Manifest): Promise<number | undefined> {
    const { apiVersion, kind, metadata } = manifest;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const found = await client.send({ method: 'GET', path: root });
    const { resources = [] } = (found.body ?? {}) as {
      readonly resources?: readonly ServedResource[];
    };
    const served = resources.find((one) => one.kind === kind && !one.name.includes('/'));
    if (served === undefined) return undefined;
    const place = served.namespaced ? `/namespaces/${metadata.namespace}` : '';
    const { status, text } = await client.send({
      method: 'PATCH',
      path: `${root}${place}/${served.name}/${metadata.name}`,
      query: { fieldManager: 'kubectl', fieldValidation: 'Strict' },
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: manifest as unknown as JsonObject,
    });
    expect(status, `${kind} ${metadata.name}: ${text}`).toBeLessThan(300);
    return status;
  }

  interface ServedResource {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
  }

  it('the server accepts every field that is generated for Kubernetes', async () => {
    const made = await manifestsOf('kubernetes', ['--audit-from', '10.0.0.0/28']);
    const unserved: string[] = [];
    for (const manifest of made.values())
      if ((await apply(manifest)) === undefined) unserved.push(manifest.kind);
    // The embedded API server does not serve these yet.
    const known = ['CronJob', 'NetworkPolicy'];
    expect(unserved.filter((kind) => !known.includes(kind))).toEqual([]);
  });

  it('the server accepts the pod templates of the CronJob and of Knative', async () => {
    const cronJob = (await manifestsOf('kubernetes')).get(`CronJob ${nameOf.schedule}`);
    const audit = (await manifestsOf('knative')).get(`Service ${nameOf.audit}`);
    const ofKnative = ['containerConcurrency', 'timeoutSeconds', 'responseStartTimeoutSeconds'];
    for (const [at, manifest] of [cronJob, audit].entries()) {
      const { metadata, spec } = templateOf(manifest);
      const fields = Object.entries(spec).filter(([field]) => !ofKnative.includes(field));
      const [container] = spec.containers;
      // Knative fills in the port.
      const probe = container.readinessProbe && {
        ...container.readinessProbe,
        httpGet: { path: '/', port: 8080 },
      };
      const containers = [{ ...container, ...(probe && { readinessProbe: probe }) }];
      await apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, name: `pod-${at}`, namespace: 'rec' },
        spec: { ...Object.fromEntries(fields), containers },
      });
    }
  });

  it('the server refuses unknown fields, so that the other tests can fail', async () => {
    const made = await manifestsOf('kubernetes');
    const service = made.get(`Service ${nameOf.audit}`)!;
    const wrong = { ...service, spec: { ...(service.spec as object), nonsense: true } };
    await expect(apply(wrong)).rejects.toThrow(/nonsense/);
  });
});

const wrong = {
  'an image with a space': {
    argv: ['--image', 'a b', '--namespace', 'rec'],
    want: /--image: "a b"/,
  },
  'an empty image': { argv: ['--image', '', '--namespace', 'rec'], want: /--image: ""/ },
  'no namespace': { argv: ['--image', image], want: /--namespace <name>/ },
  'an illegal namespace': {
    argv: ['--image', image, '--namespace', 'A_B'],
    want: /--namespace: "A_B" is not a namespace name/,
  },
  'a schedule of four fields': {
    argv: [...options, '--schedule', '* * * *'],
    want: /--schedule: "\* \* \* \*" is not a schedule/,
  },
  'a schedule with a line break': {
    argv: [...options, '--schedule', '* * * * *\n'],
    want: /--schedule: /,
  },
  'an invalid address': {
    argv: [...options, '--audit-url', 'ftp://x/', '--out', '/nonexistent'],
    want: /--audit-url: "ftp:\/\/x\/" is not an http\(s\) address/,
  },
} as const;

describe.each(['kubernetes', 'knative'])('wrong usage of %s', (platform) => {
  it.each(Object.entries(wrong))('%s exits with 2', async (_, { argv, want }) => {
    const { code, out, err } = await run([platform, ...argv]);
    expect(err).toMatch(want);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

it.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'x/8', ''])(
  '--audit-from refuses "%s"',
  async (blocks) => {
    const { code, err } = await run(['kubernetes', ...options, '--audit-from', blocks]);
    expect({ code, err }).toEqual({
      code: 2,
      err: `--audit-from: "${blocks}" is not a CIDR range; write it as 10.0.0.0/28\n`,
    });
  },
);
