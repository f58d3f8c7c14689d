import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { buildArtefact, removeArtefact, serveArtefact } from '../build/artefact.ts';
import { buildCollector } from '../collector/build-collector.ts';
import { eventually } from '../scenarios/eventually.ts';
import { kinds } from '../support/config.ts';

let program: string;
let directory: string;
beforeAll(async () => {
  program = await buildCollector((line) => process.stderr.write(`${line}\n`));
  directory = await buildArtefact('resync');
});
afterAll(() => removeArtefact(directory));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a collector; resolves with its address and a function that returns what it has printed. */
async function startCollector() {
  const endpoint = `127.0.0.1:${await freePort()}`;
  const pipeline = { receivers: ['otlp'], exporters: ['debug'] };
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint } } } },
    exporters: { debug: { verbosity: 'detailed', sampling_initial: 10_000 } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: pipeline, metrics: pipeline },
    },
  };
  const child: ChildProcess = spawn(program, ['--config', `yaml:${JSON.stringify(config)}`]);
  let printed = '';
  child.stderr?.on('data', (chunk) => (printed += chunk));
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill();
    await once(child, 'exit');
  });
  await eventually(async () => expect(printed).toContain('Everything is ready'));
  return { url: `http://${endpoint}`, printed: () => printed };
}

/** Starts an embedded cluster with the samples of every kind; resolves with the variables of a function for it. */
async function openWorld() {
  const cluster = await startLocalCluster();
  onTestFinished(() => cluster.stop());
  await install(applyTo(cluster.url), { kinds, user: 'anybody', samples: true });
  const kubeconfig = join(dirname(directory), `${crypto.randomUUID()}.kubeconfig`);
  await writeFile(kubeconfig, cluster.kubeconfig());
  onTestFinished(() => rm(kubeconfig));
  return {
    KUBECONFIG: kubeconfig,
    CLUSTER_CONTEXT: 'local',
    SETTLE_SECONDS: '0',
    AUTH_URL: 'https://auth.example.com/check',
  };
}

it('a collector receives the trace and the metrics of a resync before it is answered', async () => {
  const collector = await startCollector();
  const env = { ...(await openWorld()), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { post } = await serveArtefact(directory, { target: 'resync', env });
  expect((await post({})).code).toBe(200);
  const printed = await eventually(async () => {
    const text = collector.printed();
    expect(text).toContain('reconciler.child.writes');
    return text;
  });
  for (const text of [
    'Name           : run',
    'Name           : reconcile Website',
    'service.name: Str(serverless-reconciler)',
    'service.instance.id',
    'AggregationTemporality: Delta',
  ])
    expect(printed).toContain(text);
  const traces = new Set([...printed.matchAll(/Trace ID\s*: (\w+)/g)].map(([, id]) => id));
  expect(traces.size).toBe(1);
});

it('without an endpoint nothing is loaded or sent', async () => {
  const collector = await startCollector();
  const { post } = await serveArtefact(directory, { target: 'resync', env: await openWorld() });
  // A broken file would fail a function that loads it.
  expect((await post({})).code).toBe(200);
  expect(collector.printed()).not.toContain('Trace ID');
});
