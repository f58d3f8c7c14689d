import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { LogLine } from '../../infra/log-line.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import type { Call } from '../../shared/cluster/http/connection.ts';
import { telemetryFor } from '../../shared/telemetry/load.ts';
import { openTelemetry } from '../../shared/telemetry/otlp.ts';
import { logInto } from '../support/log.ts';

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

/** Starts an OTLP endpoint; `answers` is false for one that hangs. */
async function startEndpoint(answers = true) {
  const spans: Span[] = [];
  const metrics: Metric[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!answers) return;
    const body = JSON.parse(Buffer.concat(chunks).toString());
    for (const { scopeSpans } of body.resourceSpans ?? [])
      for (const { spans: own } of scopeSpans) spans.push(...own);
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const { metrics: own } of scopeMetrics) metrics.push(...own);
    response.setHeader('content-type', 'application/json').end('{}');
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

function open() {
  const { log, lines } = logged();
  const traceparent = () => `00-${traceId}-${callerId}-01`;
  return {
    ...openTelemetry({ service: 'reconciler', version: '1', traceparent, log }),
    lines,
  };
}

const apply: Call = { method: 'PATCH', path: '/api/v1/a?force=true', what: 'apply Service a' };
const report = { resources: { total: 1, unchanged: 0, reconciled: 1 }, undone: [] };
const child = { apiVersion: 'v1', kind: 'Service', name: 'a' };
const turn = { outcomes: [{ child, result: 'updated', origin: 'drift' } as const] };

it('sends one trace: the run under its caller, the resource under the run, requests under the resource', async () => {
  const { spans } = await startEndpoint();
  const { run, resource, connection } = open();
  const { send } = connection({
    send: () => Promise.resolve({ value: {}, bytes: 2 }),
    close: () => undefined,
  });
  const about = { kind: 'Foo', namespace: 'default', name: 'a' };
  await run({ trigger: 'resync', cluster: 'main', eventAgeMs: undefined }, async () => {
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

it('counts what each run did, not what earlier ones did', async () => {
  const { metrics } = await startEndpoint();
  const { run, resource, connection } = open();
  const { send } = connection({
    send: () => Promise.reject(new KubeError('apply', { code: 409, status: {} })),
    close: () => undefined,
  });
  const about = { kind: 'Foo', namespace: 'default', name: 'a' };
  for (let count = 0; count < 2; count++)
    await run({ trigger: 'resync', cluster: 'main', eventAgeMs: undefined }, async () => {
      await expect(send(apply)).rejects.toThrow();
      await resource(about, () => Promise.resolve(turn));
      return report;
    });
  const named = (name: string) => metrics.filter((metric) => metric.name === name);
  const drifted = named('reconciler.child.drifted');
  expect(drifted.map(({ sum }) => sum?.dataPoints.map(({ asDouble }) => Number(asDouble)))).toEqual(
    [[1], [1]],
  );
  expect(drifted[0]?.sum?.aggregationTemporality).toBe(1);
  const [requests] = named('http.client.request.duration');
  expect(requests?.histogram?.dataPoints[0]?.attributes).toContainEqual({
    key: 'error.type',
    value: { stringValue: '409' },
  });
});

it('a request that the server refuses is traced without its message, which may quote a Secret', async () => {
  const { spans } = await startEndpoint();
  const { run, connection } = open();
  const status = {
    reason: 'Invalid',
    message: 'Secret "a" is invalid: data[key]: Invalid value: "hunter2"',
  };
  const { send } = connection({
    send: () => Promise.reject(new KubeError('apply Secret a', { code: 422, status })),
    close: () => undefined,
  });
  await run({ trigger: 'resync', cluster: 'main', eventAgeMs: undefined }, async () => {
    await expect(send(apply)).rejects.toThrow('hunter2');
    return report;
  });
  expect(spans.map(({ status: { code } }) => code)).toContain(2);
  expect(JSON.stringify(spans)).not.toContain('hunter2');
});

it('an endpoint that hangs costs a run two seconds and a warning', async () => {
  await startEndpoint(false);
  const { run, lines } = open();
  const begun = performance.now();
  expect(
    await run({ trigger: 'audit', cluster: 'main', eventAgeMs: undefined }, () =>
      Promise.resolve(report),
    ),
  ).toBe(report);
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(lines).toMatchObject([{ severity: 'WARNING', message: 'telemetry not sent' }]);
});

it('a run that fails is traced as failed, and fails in the same way', async () => {
  const { spans } = await startEndpoint();
  const failure = new Error('no credentials');
  const failing = open().run({ trigger: 'resync', cluster: 'main', eventAgeMs: undefined }, () =>
    Promise.reject(failure),
  );
  await expect(failing).rejects.toBe(failure);
  expect(spans.map(({ name, status }) => [name, status.code])).toEqual([['run', 2]]);
});

it.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, true],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://c:4318/v1/metrics' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }, false],
])('with the variables %j it is on: %s', (environment, on) => {
  const { log } = logged();
  const options = { service: 'r', version: '1', traceparent: () => undefined, log };
  expect(telemetryFor(environment, options) !== undefined).toBe(on);
});

it('runs go on without it if it cannot be opened, and a warning says why', async () => {
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
