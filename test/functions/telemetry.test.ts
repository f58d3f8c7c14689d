import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { telemetryFor } from '../../functions/telemetry/load.ts';
import { openTelemetry } from '../../functions/telemetry/otlp.ts';
import type { LogLine } from '../../infra/log-line.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import type { Call } from '../../shared/cluster/http/connection.ts';
import type { Environment } from '../../shared/environment.ts';
import { logInto } from '../support/log.ts';
import { freePort } from '../support/processes.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly asDouble?: number;
  readonly count?: string;
}

interface Metric {
  readonly name: string;
  readonly sum?: { readonly aggregationTemporality: number; readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
}

interface Answer {
  readonly code: number;
  readonly body?: string;
}

/** Starts an OTLP endpoint; `answer` returns undefined for a request that hangs. */
async function startEndpoint(answer: (path: string) => Answer | undefined = () => ({ code: 200 })) {
  const spans: Span[] = [];
  const metrics: Metric[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const given = answer(request.url ?? '');
    if (given === undefined) return;
    const { code, body: text = '{}' } = given;
    response.writeHead(code, { 'content-type': 'application/json' });
    if (code !== 200) {
      response.end(text);
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString());
    for (const { scopeSpans } of body.resourceSpans ?? [])
      for (const { spans: own } of scopeSpans) spans.push(...own);
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const { metrics: own } of scopeMetrics) metrics.push(...own);
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`;
  onTestFinished(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  });
  return { spans, metrics };
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerId = 'b7ad6b7169203331';

function logged() {
  const lines: LogLine[] = [];
  return { lines, log: logInto(lines, 'DEBUG') };
}

async function open(environment: Environment = process.env) {
  const { log, lines } = logged();
  const traceparent = () => `00-${traceId}-${callerId}-01`;
  const options = { service: 'reconciler', version: '1', traceparent, log };
  return { ...(await openTelemetry(options, environment)), lines };
}

const apply: Call = { method: 'PATCH', path: '/api/v1/a?force=true', what: 'apply Service a' };
const report = {
  resources: { total: 1, unchanged: 0, reconciled: 1 },
  undone: [],
  incomplete: [],
  unkept: 0,
};
const child = { apiVersion: 'v1', kind: 'Service', name: 'a' };
const foo = { kind: 'Foo', namespace: 'default', name: 'a', since: undefined };
const turn = { outcomes: [{ child, result: 'updated', origin: 'drift' } as const] };

it('telemetry sends one trace: the run under its caller, the resource under the run, requests under the resource', async () => {
  const { spans } = await startEndpoint();
  const { run, resource, connection } = await open();
  const { send } = connection({
    send: () => Promise.resolve({ value: {}, bytes: 2 }),
    close: () => undefined,
  });
  const about = { kind: 'Foo', namespace: 'default', name: 'a', since: undefined };
  await run({ trigger: 'resync', cluster: 'main' }, async () => {
    await resource(about, async () => {
      await send(apply);
      return turn;
    });
    return report;
  });
  const byName = new Map(spans.map((span) => [span.name, span]));
  const parents = (name: string) => byName.get(name)?.parentSpanId;
  expect([...byName.keys()].toSorted()).toEqual(['apply Service a', 'reconcile Foo', 'run']);
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(parents('run')).toBe(callerId);
  expect(parents('reconcile Foo')).toBe(byName.get('run')?.spanId);
  expect(parents('apply Service a')).toBe(byName.get('reconcile Foo')?.spanId);
});

it('metrics count the work of each run only', async () => {
  const { metrics } = await startEndpoint();
  const { run, resource, connection } = await open();
  const { send } = connection({
    send: () => Promise.reject(new KubeError('apply', { code: 409, status: {} })),
    close: () => undefined,
  });
  const about = { kind: 'Foo', namespace: 'default', name: 'a', since: undefined };
  for (let count = 0; count < 2; count++)
    await run({ trigger: 'resync', cluster: 'main' }, async () => {
      await expect(send(apply)).rejects.toThrow();
      await resource(about, () => Promise.resolve(turn));
      return report;
    });
  const named = (name: string) => metrics.filter((metric) => metric.name === name);
  const drifted = named('reconciler_child_drifted_total');
  expect(
    drifted.map(({ sum }) => sum?.dataPoints.map(({ asDouble }) => Number(asDouble)).toSorted()),
  ).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(drifted[0]?.sum?.aggregationTemporality).toBe(1);
  const [requests] = named('http_client_request_duration_seconds');
  expect(requests?.histogram?.dataPoints[0]?.attributes).toContainEqual({
    key: 'error_type',
    value: { stringValue: '409' },
  });
});

it.each([
  ['OTEL_TRACES_EXPORTER', { spans: 0, metrics: true }],
  ['OTEL_METRICS_EXPORTER', { spans: 1, metrics: false }],
])('with %s=none that signal is not sent', async (variable, want) => {
  const { spans, metrics } = await startEndpoint();
  const { run } = await open({ ...process.env, [variable]: 'none' });
  await run({ trigger: 'resync', cluster: 'main' }, async () => report);
  expect({ spans: spans.length, metrics: metrics.length > 0 }).toEqual(want);
});

it('a request that the server refuses is traced without its message, which may quote a Secret', async () => {
  const { spans } = await startEndpoint();
  const { run, connection } = await open();
  const status = {
    reason: 'Invalid',
    message: 'Secret "a" is invalid: data[key]: Invalid value: "hunter2"',
  };
  const { send } = connection({
    send: () => Promise.reject(new KubeError('apply Secret a', { code: 422, status })),
    close: () => undefined,
  });
  await run({ trigger: 'resync', cluster: 'main' }, async () => {
    await expect(send(apply)).rejects.toThrow('hunter2');
    return report;
  });
  expect(spans.map(({ status: { code } }) => code)).toContain(2);
  expect(JSON.stringify(spans)).not.toContain('hunter2');
});

it('an endpoint that hangs costs a run two seconds and a warning', async () => {
  await startEndpoint(() => undefined);
  const { run, lines } = await open();
  const begun = performance.now();
  expect(await run({ trigger: 'audit', cluster: 'main' }, () => Promise.resolve(report))).toBe(
    report,
  );
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(lines).toMatchObject([{ severity: 'WARNING', message: 'telemetry not sent' }]);
});

/** Performs a run of `count` resources. */
const runWith = ({ run, resource }: Awaited<ReturnType<typeof open>>, count: number) =>
  run({ trigger: 'resync', cluster: 'main' }, async () => {
    for (let at = 0; at < count; at++) {
      await resource(foo, () => Promise.resolve(turn));
      if (at % 100 === 0) await setImmediate();
    }
    return report;
  });

it.each([
  [
    'refuses the metrics',
    'metrics',
    { code: 500 },
    /metrics export failed .*Internal Server Error/,
  ],
  ['refuses the spans', 'traces', { code: 400 }, /Bad Request/],
  [
    'refuses a part',
    'traces',
    { code: 200, body: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}' },
    /too old/,
  ],
  ['responds with a page', 'metrics', { code: 200, body: '<html>Sign in' }, /Failed to parse/],
])('an endpoint that %s costs a warning', async (_, signal, answer, error) => {
  await startEndpoint((path) => (path.endsWith(signal) ? answer : { code: 200 }));
  const telemetry = await open();
  await runWith(telemetry, 1);
  expect(telemetry.lines).toMatchObject([
    { severity: 'WARNING', message: 'telemetry not sent', error: expect.stringMatching(error) },
  ]);
});

it('a run ends once the spans that were sent during it have arrived, also at the second try', async () => {
  const codes = [503];
  const { spans } = await startEndpoint((path) => ({
    code: path.endsWith('traces') ? (codes.pop() ?? 200) : 200,
  }));
  await runWith(await open(), 1_500);
  expect(spans).toHaveLength(1_501);
});

it('as many spans arrive as may wait', async () => {
  const { spans, metrics } = await startEndpoint();
  const telemetry = await open();
  await telemetry.run({ trigger: 'resync', cluster: 'main' }, async () => {
    await Promise.all(
      Array.from({ length: 19_000 }, () => telemetry.resource(foo, async () => turn)),
    );
    return report;
  });
  expect([spans.length, telemetry.lines]).toEqual([19_001, []]);
  expect(metrics.map(({ name }) => name)).toContain('reconciler_runs_total');
});

it('a run that fails is traced as failed, and fails in the same way', async () => {
  const { spans } = await startEndpoint();
  const failure = new Error('no credentials');
  const { run } = await open();
  const failing = run({ trigger: 'resync', cluster: 'main' }, () => Promise.reject(failure));
  await expect(failing).rejects.toBe(failure);
  expect(spans.map(({ name, status }) => [name, status.code])).toEqual([['run', 2]]);
});

/** Serves metrics to Prometheus; `scrape` returns the samples whose names match, with their values. */
async function openServed() {
  const port = await freePort();
  const { lines, ...telemetry } = await open({
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
  });
  const scrape = async (name: RegExp) => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const samples = text.split('\n').filter((line) => name.test(line));
    return samples.map((line) => line.replace(/ \S+$/, (value) => ` ${Number(value)}`));
  };
  return { ...telemetry, lines, scrape };
}

it('reconciliations are counted under the names of controller-runtime', async () => {
  const { resource, scrape } = await openServed();
  await resource(foo, () => Promise.resolve(turn));
  await resource(foo, () => Promise.resolve({ outcomes: [], error: 'NotFinished' }));
  expect(await scrape(/^controller_runtime_\w+_(total|count)/)).toEqual([
    'controller_runtime_reconcile_time_seconds_count{controller="foo"} 2',
    'controller_runtime_reconcile_total{controller="foo",result="success"} 1',
    'controller_runtime_reconcile_total{controller="foo",result="error"} 1',
    'controller_runtime_reconcile_errors_total{controller="foo"} 1',
  ]);
});

it.each([
  ['every kind was read and every resource reconciled', {}, 'whole'],
  ['a kind was not read', { incomplete: [{}] }, 'partial'],
  ['the deadline left a resource to the next run', { undone: ['Foo default/a'] }, 'partial'],
  ['a resource did not fit into memory', { unkept: 1 }, 'partial'],
])('if %s, the metrics count the run as %j: %s', async (_, fields, outcome) => {
  const { run, scrape } = await openServed();
  const about = { trigger: 'resync', cluster: 'main' };
  await run(about, () => Promise.resolve({ ...report, ...fields }));
  const outcomes = ['whole', 'partial', 'failed'];
  expect(await scrape(/^reconciler_runs_total/)).toEqual(
    outcomes.map(
      (each) =>
        `reconciler_runs_total{trigger="resync",cluster="main",outcome="${each}"} ${Number(each === outcome)}`,
    ),
  );
});

it.each([
  ['20 s after its event', 20, { in_a_minute: 1, later: 0 }],
  ['two minutes after its event', 120, { in_a_minute: 0, later: 1 }],
  ['by a run without an audit event', undefined, { in_a_minute: 0, later: 1 }],
])('the metrics count a repair %s', async (_, ago, counts) => {
  const { resource, scrape } = await openServed();
  const since = ago === undefined ? undefined : Date.now() - ago * 1000;
  await resource({ ...foo, since }, () => Promise.resolve(turn));
  expect(await scrape(/^reconciler_child_drifted/)).toEqual(
    Object.entries(counts).map(
      ([repaired, count]) =>
        `reconciler_child_drifted_total{controller="foo",repaired="${repaired}"} ${count}`,
    ),
  );
});

it('the metrics count a failed run', async () => {
  const { run, scrape } = await openServed();
  const failing = run({ trigger: 'resync', cluster: 'main' }, () =>
    Promise.reject(new Error('no')),
  );
  await expect(failing).rejects.toThrow('no');
  expect(await scrape(/outcome="failed"/)).toEqual([
    'reconciler_runs_total{trigger="resync",cluster="main",outcome="failed"} 1',
  ]);
});

it.each([
  ['a write that lost a race', 'Conflict', ['reconciler_conflicts_total{controller="foo"} 1']],
  ['an object that exists already', 'AlreadyExists', []],
])('the metrics count conflicts by kind: %s', async (_, reason, counted) => {
  const { resource, connection, scrape } = await openServed();
  const { send } = connection({
    send: () => Promise.reject(new KubeError('apply', { code: 409, status: { reason } })),
    close: () => undefined,
  });
  await resource(foo, async () => {
    await send(apply).catch(() => undefined);
    return turn;
  });
  expect(await scrape(/^reconciler_conflicts/)).toEqual(counted);
});

it.each([
  ['a taken', undefined, 'EADDRINUSE'],
  ['a misspelt', '94b4', 'OTEL_EXPORTER_PROMETHEUS_PORT is not a number'],
])('%s metrics port causes a warning, and runs continue', async (_, port, error) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const { log, lines } = logged();
  const load = telemetryFor(
    {
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: port ?? String((taken.address() as AddressInfo).port),
    },
    { service: 'r', version: '1', traceparent: () => undefined, log },
  );
  expect(await load?.()).toBeUndefined();
  expect(lines).toMatchObject([{ error: expect.stringContaining(error) }]);
});

it.each([
  [{}, false],
  [{ OTEL_METRICS_EXPORTER: 'otlp' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, true],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://c:4318/v1/metrics' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }, false],
])('with the variables %j telemetry is on: %s', (environment, on) => {
  const { log } = logged();
  const options = { service: 'r', version: '1', traceparent: () => undefined, log };
  expect(telemetryFor(environment, options) !== undefined).toBe(on);
});

it('if telemetry cannot be opened, runs continue without it, and a warning has the reason', async () => {
  const { log, lines } = logged();
  const load = telemetryFor(
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' },
    {
      get service(): string {
        throw new Error('no name');
      },
      version: '1',
      traceparent: () => undefined,
      log,
    },
  );
  expect(await load?.()).toBeUndefined();
  expect(lines).toMatchObject([{ message: 'telemetry not sent', error: 'no name' }]);
});
