import type { Attributes, Meter } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import type { MetricReader, ViewOptions } from '@opentelemetry/sdk-metrics';
import type { Environment } from '../environment.ts';
import { isWrite } from '../plan/decision/outcome.ts';
import type { MeasuredRun, MeasuredTurn } from '../run/telemetry.ts';

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

function openInstruments(meter: Meter) {
  const seconds = (name: string, description: string) => {
    const advice = { explicitBucketBoundaries: bounds };
    const histogram = meter.createHistogram(name, { unit: 's', description, advice });
    return (ms: number, attributes: Attributes) => histogram.record(ms / 1000, attributes);
  };
  const count = (name: string, description: string) => meter.createCounter(name, { description });
  return {
    runs: count('reconciler.runs', 'Runs, by outcome: whole, partial or failed'),
    runTimes: seconds('reconciler.run.duration', 'Duration of a run'),
    eventAge: seconds('reconciler.event.age', 'Age of the oldest audit event of a run'),
    queued: seconds('reconciler.queue.duration', 'Time that a run waited for other runs'),
    turns: seconds('reconciler.reconcile.duration', 'Time spent on one resource in a run'),
    reconciles: count('reconciler.reconciles', 'Resources reconciled'),
    errors: count(
      'reconciler.reconcile.errors',
      'Resources with an error, or with failed or blocked children',
    ),
    conflicts: count('reconciler.conflicts', 'Writes refused because the object had changed'),
    writes: count('reconciler.child.writes', 'Children created, updated and deleted'),
    drifted: count('reconciler.child.drifted', 'Children that others had changed'),
    requests: seconds('http.client.request.duration', 'Duration of a request to the API server'),
    resources: meter.createGauge('reconciler.resources', {
      description: 'Resources in the last run, by state',
    }),
  };
}

export function openMeasures(meter: Meter) {
  const { queued, runTimes, turns, requests, ...to } = openInstruments(meter);
  return {
    eventAge: to.eventAge,
    request: requests,
    conflict: (attributes: Attributes): void => to.conflicts.add(1, attributes),
    queued: (ms: number): void => queued(ms, { 'reconciler.queue': 'runs' }),
    /** A run without a result has failed. */
    run(result: MeasuredRun | undefined, ms: number, attributes: Attributes): void {
      runTimes(ms, attributes);
      const outcome = outcomeOf(result);
      for (const each of outcomes)
        to.runs.add(each === outcome ? 1 : 0, { ...attributes, 'reconciler.outcome': each });
      if (typeof result?.resources !== 'object') return;
      const { unchanged, reconciled } = result.resources;
      const states = { unchanged, reconciled, undone: result.undone?.length ?? 0 };
      for (const [state, number] of Object.entries(states))
        to.resources.record(number, { ...attributes, 'reconciler.state': state });
    },
    turn(
      { outcomes, error }: MeasuredTurn,
      { ms, since }: { readonly ms: number; readonly since: number | undefined },
      attributes: Attributes,
    ): void {
      turns(ms, attributes);
      const failed = outcomes.some(({ result }) => result === 'failed' || result === 'blocked');
      const isError = error !== undefined || failed;
      to.reconciles.add(1, { ...attributes, 'reconciler.result': isError ? 'error' : 'success' });
      if (isError) to.errors.add(1, attributes);
      const written = outcomes.filter(isWrite);
      for (const { result } of written)
        to.writes.add(1, { ...attributes, 'reconciler.result': result });
      const drifted = written.filter(({ origin }) => origin === 'drift').length;
      const repaired =
        since !== undefined && Date.now() - since <= 60_000 ? 'in_a_minute' : 'later';
      for (const each of repairs) {
        const value = each === repaired ? drifted : 0;
        to.drifted.add(value, { ...attributes, 'reconciler.repaired': each });
      }
    },
  };
}

/** Each value has a counter that begins at 0, because a rate ignores the step from absent to 1. */
const outcomes = ['whole', 'partial', 'failed'] as const;
const repairs = ['in_a_minute', 'later'] as const;

function outcomeOf(result: MeasuredRun | undefined): (typeof outcomes)[number] {
  if (result === undefined) return 'failed';
  const { incomplete, undone = [], unkept = 0 } = result;
  const left = incomplete.length + undone.length + unkept;
  return left === 0 ? 'whole' : 'partial';
}

/** Names in Prometheus, where possible those of controller-runtime and client-go. */
const names: Readonly<Record<string, string>> = {
  'reconciler.reconciles': 'controller_runtime_reconcile_total',
  'reconciler.reconcile.errors': 'controller_runtime_reconcile_errors_total',
  'reconciler.reconcile.duration': 'controller_runtime_reconcile_time_seconds',
  'reconciler.queue.duration': 'workqueue_queue_duration_seconds',
  'reconciler.run.duration': 'reconciler_run_duration_seconds',
  'reconciler.event.age': 'reconciler_event_age_seconds',
  'http.client.request.duration': 'http_client_request_duration_seconds',
};

const labels: Readonly<Record<string, string>> = {
  'reconciler.kind': 'controller',
  'reconciler.queue': 'name',
  'k8s.cluster.name': 'cluster',
  'http.request.method': 'method',
};

/** Such as `trigger` for `reconciler.trigger`. A controller is named after its kind. */
const renamed = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      labels[name] ?? name.replace(/^reconciler\./, ''),
      name === 'reconciler.kind' ? String(value).toLowerCase() : value,
    ]),
  );

const attributesProcessors = [{ process: renamed }];

export const prometheusViews: ViewOptions[] = [
  ...Object.entries(names).map(([instrumentName, name]) => ({
    instrumentName,
    name,
    attributesProcessors,
  })),
  ...['reconciler.runs', 'reconciler.child.*', 'reconciler.conflicts', 'reconciler.resources'].map(
    (instrumentName) => ({ instrumentName, attributesProcessors }),
  ),
];

export async function servePrometheus(environment: Environment): Promise<MetricReader> {
  const port = Number(environment.OTEL_EXPORTER_PROMETHEUS_PORT || 9464);
  // The exporter would silently use 9464.
  if (Number.isNaN(port)) throw new Error('OTEL_EXPORTER_PROMETHEUS_PORT is not a number');
  const exporter = new PrometheusExporter({
    host: environment.OTEL_EXPORTER_PROMETHEUS_HOST || 'localhost',
    port,
    withoutScopeInfo: true,
    preventServerStart: true,
  });
  await exporter.startServer();
  return exporter;
}
