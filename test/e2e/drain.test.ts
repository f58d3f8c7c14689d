import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { readLogLine } from '../../infra/log-line.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Report } from '../../shared/resync/report.ts';
import { foo } from '../../systems/foo.ts';
import { buildArtefact, removeArtefact, serveArtefact } from '../build/artefact.ts';
import { openApi } from '../scenarios/api.ts';
import { eventually } from '../scenarios/eventually.ts';
import { condition } from '../scenarios/resources.ts';
import { kinds } from '../support/config.ts';

const directories = { resync: '', audit: '' };
beforeAll(async () => {
  directories.resync = await buildArtefact('resync');
  directories.audit = await buildArtefact('audit');
}, 60_000);
afterAll(() => Promise.all(Object.values(directories).map(removeArtefact)));

const names = Array.from({ length: 40 }, (_, at) => `foo-${at}`);

/** Starts a function on a cluster with forty Foos, whose pods are never ready. */
async function open(target: keyof typeof directories, env: Readonly<Record<string, string>>) {
  const token = crypto.randomUUID();
  const cluster = await startLocalCluster({
    tokens: { [token]: { username: 'functions' } },
    podsReadyAfterMs: 3_600_000,
  });
  const client = createClient({ url: cluster.url });
  const home = await mkdtemp(join(tmpdir(), 'drain-'));
  onTestFinished(async () => {
    await client.close();
    await cluster.stop();
    await rm(home, { recursive: true });
  });
  await install(applyTo(cluster.url), { kinds, user: 'functions', samples: false });
  const api = openApi(client, 'default');
  for (const name of names)
    await api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  const kubeconfig = join(home, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig(token), { mode: 0o600 });
  const serving = await serveArtefact(directories[target], {
    target,
    env: { KUBECONFIG: kubeconfig, CLUSTER_CONTEXT: 'local', CONCURRENCY: '2', ...env },
  });
  return { cluster, api, ...serving };
}

test('SIGTERM while a resync waits for pods: it responds with its result, and the process exits with 0', async () => {
  const { api, post, terminate, ended } = await open('resync', { SETTLE_SECONDS: '120' });
  const response = post({});
  await eventually(async () => expect(await api.list(deployment)).toHaveLength(names.length));
  await setTimeout(1500);
  const begun = performance.now();
  terminate();
  const { code, body } = await response;
  expect({ code, exit: await ended }).toEqual({ code: 200, exit: 0 });
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect((body as Report).outcomes.created).toBe(names.length);
}, 60_000);

test('SIGTERM during a resync: resources that were begun are completed with their statuses, and the others are named', async () => {
  const { cluster, api, post, terminate, ended, output } = await open('resync', {});
  let writes = 0;
  cluster.intercept(async ({ verb }) => {
    if (verb !== 'patch') return;
    if (++writes === 6) terminate();
    await setTimeout(200);
  });
  const { code, body } = await post({});
  expect({ code, exit: await ended }).toEqual({ code: 200, exit: 0 });
  const { undone, outcomes } = body as Report;
  expect(undone.length).toBeGreaterThan(names.length / 2);
  expect(outcomes.created + undone.length).toBe(names.length);
  for (const live of await api.list(foo))
    expect(condition(live, 'Ready') === undefined, live.metadata.name).toBe(
      undone.some((key) => key.endsWith(`/${live.metadata.name}`)),
    );
  expect(output.some((line) => readLogLine(line)?.message === 'stopping')).toBe(true);
}, 60_000);

test('SIGTERM during a delivery: it gets a 503, so that it is sent again, and so does a new request', async () => {
  const { cluster, post, terminate, ended } = await open('audit', {});
  const refused: Promise<number>[] = [];
  let writes = 0;
  cluster.intercept(async ({ verb }) => {
    if (verb !== 'patch') return;
    if (++writes === 4) {
      terminate();
      refused.push(
        setTimeout(100).then(() =>
          post({}).then(
            ({ code }) => code,
            () => 0,
          ),
        ),
      );
    }
    await setTimeout(200);
  });
  expect((await post({ version: 1, request: {} })).code).toBe(503);
  expect(await ended).toBe(0);
  for (const code of await Promise.all(refused)) expect([0, 503]).toContain(code);
}, 60_000);

test('SIGTERM while a body is arriving: the request gets a 503, and the process ends at once', async () => {
  const { post, socketPath, terminate, ended } = await open('resync', {});
  const socket = connect(socketPath);
  await once(socket, 'connect');
  const response = text(socket);
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"kind"');
  // The server reads the connections in turn, so it has begun the other request.
  await post({ kind: 'pods' });
  const begun = performance.now();
  terminate();
  expect(await response).toMatch(/^HTTP\/1.1 503 .*this process is stopping/s);
  expect(await ended).toBe(0);
  expect(performance.now() - begun).toBeLessThan(8_000);
}, 60_000);
