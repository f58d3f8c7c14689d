import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Client, createClient } from '@serverless-reconciler/local-cluster/client';
import {
  type ControlPlane,
  startControlPlane,
} from '@serverless-reconciler/local-cluster/control-plane';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { install } from '../../infra/generate/install.ts';
import { readLogLine } from '../../infra/log-line.ts';
import { type FunctionProcess, startFunction } from '../../infra/start/functions/load-function.ts';
import { valueAt } from '../../shared/json.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { runAlone } from '../cli/command-runner.ts';
import { buildAdapter } from '../knative/adapter/build-adapter.ts';
import { type Api, applyManifest, openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { condition } from '../scenarios/resources.ts';
import { reconciler } from '../scenarios/test-cluster.ts';
import { kinds } from '../support/config.ts';
import { freePort } from '../support/processes.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly template?: {
      readonly spec: {
        readonly containers: readonly [{ env: readonly { name: string; value: string }[] }];
      };
    };
  };
}

const source = 'serverless-reconciler-source';
const stops: (() => Promise<unknown>)[] = [];
const lines: string[] = [];
let plane: ControlPlane;
let admin: Client;
let api: Api;
let manifests: readonly Manifest[];

/** Generates what `generate knative` installs; resolves with the manifests. */
async function generated(): Promise<readonly Manifest[]> {
  const argv = 'generate knative --image registry.example.com/reconciler:1 --namespace default';
  const { code, out } = await runAlone(argv.split(' '), { home: '/nonexistent' });
  expect(code).toBe(0);
  return parseAllDocuments(out).map((document) => document.toJS() as Manifest);
}

/** Runs the audit function in the environment of the generated Service. */
async function startAudit(port: number): Promise<FunctionProcess> {
  const service = manifests.find(({ metadata: { name } }) => name.endsWith('-audit'));
  const { env = [] } = service?.spec?.template?.spec.containers[0] ?? {};
  return startFunction({
    target: 'audit',
    port,
    source: { code: new URL('../../dist/audit/index.js', import.meta.url) },
    env: {
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
      PATH: process.env.PATH,
      ATTRIBUTE_REPAIRS: 'true',
      KUBECONFIG: plane.kubeconfig,
      CLUSTER_CONTEXT: 'reconciler',
    },
    onLine: (line) => lines.push(line),
    onExit: () => undefined,
  });
}

/** Runs Knative's adapter for the generated source, with the permissions of its service account alone. */
async function startAdapter(sink: string): Promise<ChildProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'adapter-'));
  stops.push(() => rm(directory, { recursive: true }));
  const kubeconfig = join(directory, 'kubeconfig');
  const cluster = {
    server: plane.url,
    'certificate-authority-data': Buffer.from(plane.ca).toString('base64'),
  };
  const user = { token: plane.tokens.admin, as: `system:serviceaccount:default:${source}` };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'c', user }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const command = await buildAdapter((line) => process.stderr.write(`${line}\n`));
  const child = spawn(command, {
    env: { KUBECONFIG: kubeconfig, SINK: sink, SYSTEM_NAMESPACE: 'knative-eventing' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stderr?.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  child.stdin?.end(stringify(manifests.find(({ kind }) => kind === 'ApiServerSource')));
  stops.push(async () => {
    child.kill();
    await once(child, 'close');
  });
  return child;
}

beforeAll(async () => {
  manifests = await generated();
  plane = await startControlPlane({});
  stops.push(plane.stop);
  admin = createClient({ url: plane.url, ca: plane.ca, token: plane.tokens.admin });
  stops.push(() => admin.close());
  await install((path, manifest) => applyManifest(admin, path, manifest as JsonObject), {
    kinds,
    user: reconciler,
    samples: false,
  });
  for (const manifest of manifests.filter(({ metadata: { name } }) => name === source))
    if (manifest.kind.startsWith('ClusterRole'))
      await applyManifest(
        admin,
        `/apis/rbac.authorization.k8s.io/v1/${manifest.kind.toLowerCase()}s/${source}`,
        manifest as unknown as JsonObject,
      );
  const port = await freePort();
  const audit = await startAudit(port);
  stops.push(audit.stop);
  await startAdapter(`http://127.0.0.1:${port}/`);
  api = openApi(admin, 'default');
}, 900_000);
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

const runs = () => lines.map(readLogLine).filter((line) => line?.message === 'resynced');

/** Waits until no run begins for a second, and returns the runs so far. */
async function quiet() {
  for (;;) {
    const before = runs().length;
    await setTimeout(1000);
    if (runs().length === before) return runs();
  }
}

/** Creates Foos and waits until they and their Deployments are Ready, and all runs are over. */
async function foos(count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, () => `foo-${randomUUID().slice(0, 8)}`);
  for (const name of names)
    await eventually(() => api.create(foo, name, { spec: { deploymentName: name, replicas: 2 } }));
  for (const name of names)
    await eventually(async () => {
      const ready = condition(await api.get(foo, name), 'Ready');
      if (ready?.status === 'True') return;
      // The adapter may have begun to watch after the Foo was created.
      await api.patch(foo, name, { metadata: { labels: { nudge: randomUUID() } } });
      throw new Error(`Foo ${name} is not Ready: ${ready?.reason}`);
    });
  await quiet();
  return names;
}

const replicasOf = async (name: string) => (await api.get(deployment, name)).spec?.replicas;

test('drift is repaired within a second without an audit log or a resync, and names no user', async () => {
  const names = await foos(40);
  const delays: number[] = [];
  for (const name of names) {
    await api.patch(deployment, name, { spec: { replicas: 5 } });
    const begun = performance.now();
    while ((await replicasOf(name)) !== 2) await setTimeout(2);
    delays.push(performance.now() - begun);
    await setTimeout(200);
  }
  delays.sort((a, b) => a - b);
  const quantile = (part: number) => Math.round(delays[Math.ceil(part * delays.length) - 1] ?? 0);
  console.log(`from an edit to its repair: p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`);
  expect(quantile(0.5)).toBeLessThan(1000);
  const events = (await api.list(eventType, {
    fieldSelector: 'reason=Repaired',
  })) as unknown as readonly { message: string }[];
  expect(events.length).toBeGreaterThanOrEqual(names.length);
  for (const { message } of events) expect(message).not.toContain('(audit log)');
}, 180_000);

test('a child that is deleted or loses its label is restored', async () => {
  const [deleted = '', name = ''] = await foos(2);
  await api.remove(deployment, deleted);
  await eventually(async () => expect(await api.find(deployment, deleted)).toBeDefined());
  const label = 'app.kubernetes.io/managed-by';
  await api.patch(deployment, name, { metadata: { labels: { [label]: null } } });
  // The source selects by this label, so it reports its removal as a deletion.
  await eventually(async () =>
    expect((await api.get(deployment, name)).metadata.labels).toHaveProperty([label]),
  );
}, 60_000);

test('one edit causes one run with writes, and finitely many runs', async () => {
  const [name = ''] = await foos(1);
  const before = runs().length;
  await api.patch(deployment, name, { spec: { replicas: 3 } });
  await eventually(async () => expect(await replicasOf(name)).toBe(2));
  const after = (await quiet()).slice(before);
  const wrote = after.filter((run) => valueAt(run, 'outcomes', 'updated') !== 0);
  console.log(`one edit: ${after.length} runs, of which ${wrote.length} wrote`);
  expect(wrote).toHaveLength(1);
  expect(after.length).toBeLessThan(20);
}, 60_000);
