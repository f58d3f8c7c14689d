import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { applyTo, install } from '../../infra/generate/install.ts';
import { buildArtefact, removeArtefact, serveArtefact } from '../build/artefact.ts';
import { buildCollector } from '../collector/build-collector.ts';
import { buildPromtool, promtool } from '../promtool/build-promtool.ts';
import { eventually } from '../scenarios/eventually.ts';
import { kinds } from '../support/config.ts';
import { freePort } from '../support/processes.ts';

let program: string;
let checker: string;
let directory: string;
beforeAll(async () => {
  const log = (line: string): unknown => process.stderr.write(`${line}\n`);
  program = await buildCollector(log);
  checker = await buildPromtool(log);
  directory = await buildArtefact('resync');
});
afterAll(() => removeArtefact(directory));

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

it('a collector receives the trace and the metrics of a resync before its response', async () => {
  const collector = await startCollector();
  const env = { ...(await openWorld()), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { post } = await serveArtefact(directory, { target: 'resync', env });
  expect((await post({})).code).toBe(200);
  const printed = await eventually(async () => {
    const text = collector.printed();
    expect(text).toContain('reconciler_child_writes_total');
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

it('without an OTLP endpoint, no telemetry is loaded or sent', async () => {
  const collector = await startCollector();
  const { post } = await serveArtefact(directory, { target: 'resync', env: await openWorld() });
  // A broken file would fail a function that loads it.
  expect((await post({})).code).toBe(200);
  expect(collector.printed()).not.toContain('Trace ID');
});

/** Starts a function that serves metrics to Prometheus; `scrape` resolves with their text. */
async function openScraped(target: 'resync' | 'audit', from: string) {
  const port = await freePort();
  const env = {
    ...(await openWorld()),
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
  };
  const serving = await serveArtefact(from, { target, env });
  const scrape = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await eventually(scrape);
  return { ...serving, scrape };
}

it('promtool finds nothing wrong with the metrics that Prometheus scrapes', async () => {
  const { post, scrape } = await openScraped('resync', directory);
  expect((await post({})).code).toBe(200);
  const text = await scrape();
  expect(text).toMatch(
    /^controller_runtime_reconcile_total\{controller="website",result="success"} /m,
  );
  expect(text).toMatch(/^workqueue_queue_duration_seconds_count\{name="runs"} 1$/m);
  expect(await promtool(checker, ['check', 'metrics'], text)).toEqual({ code: 0, printed: '' });
});

it('a refusal is measured by its code and traced without the text of the server', async () => {
  const collector = await startCollector();
  const cluster = await startLocalCluster();
  onTestFinished(() => cluster.stop());
  const { KUBECONFIG, ...env } = await openWorld();
  await writeFile(KUBECONFIG, cluster.kubeconfig());
  const { post } = await serveArtefact(directory, {
    target: 'resync',
    // Its CRDs are not installed.
    env: { ...env, KUBECONFIG, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  expect((await post({})).code).toBe(503);
  const printed = await eventually(async () => {
    expect(collector.printed()).toContain('error_type: Str(404)');
    return collector.printed();
  });
  expect(printed).toContain('Status message : 404 NotFound');
  expect(printed).not.toContain('could not find the requested resource');
});
