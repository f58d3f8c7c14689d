import type { Attributes, Meter } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import type { MetricReader } from '@opentelemetry/sdk-metrics';
import type { Environment } from '../../shared/environment.ts';
import { isWrite } from '../../shared/plan/decision/outcome.ts';
import type { MeasuredRun, MeasuredTurn } from '../../shared/run/telemetry.ts';

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** Names follow the conventions of Prometheus and, where possible, match controller-runtime and client-go. */
function openInstruments(meter: Meter) {
  const seconds = (name: string, description: string) => {
    const advice = { explicitBucketBoundaries: bounds };
    const histogram = meter.createHistogram(name, { unit: 's', description, advice });
    return (ms: number, attributes: Attributes) => histogram.record(ms / 1000, attributes);
  };
  const count = (name: string, description: string) => meter.createCounter(name, { description });
  return {
    runs: count('reconciler_runs_total', 'Runs, by outcome: whole, partial or failed'),
    runTimes: seconds('reconciler_run_duration_seconds', 'Duration of a run'),
    eventAge: seconds('reconciler_event_age_seconds', 'Age of the oldest audit event of a run'),
    queued: seconds('workqueue_queue_duration_seconds', 'Time that a run waited for other runs'),
    turns: seconds(
      'controller_runtime_reconcile_time_seconds',
      'Time spent on one resource in a run',
    ),
    reconciles: count('controller_runtime_reconcile_total', 'Resources reconciled'),
    errors: count(
      'controller_runtime_reconcile_errors_total',
      'Resources with an error, or with failed or blocked children',
    ),
    conflicts: count('reconciler_conflicts_total', 'Writes refused because the object had changed'),
    writes: count('reconciler_child_writes_total', 'Children created, updated and deleted'),
    drifted: count(
      'reconciler_child_drifted_total',
      'Repaired children that another writer had changed or deleted',
    ),
    requests: seconds(
      'http_client_request_duration_seconds',
      'Duration of a request to the API server',
    ),
    resources: meter.createGauge('reconciler_resources', {
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
    queued: (ms: number): void => queued(ms, { name: 'runs' }),
    /** A run without a result has failed. */
    run(result: MeasuredRun | undefined, ms: number, attributes: Attributes): void {
      runTimes(ms, attributes);
      const outcome = outcomeOf(result);
      for (const each of outcomes)
        to.runs.add(each === outcome ? 1 : 0, { ...attributes, outcome: each });
      if (typeof result?.resources !== 'object') return;
      const { unchanged, reconciled } = result.resources;
      const states = { unchanged, reconciled, undone: result.undone?.length ?? 0 };
      for (const [state, number] of Object.entries(states))
        to.resources.record(number, { ...attributes, state });
    },
    turn(
      { outcomes, error }: MeasuredTurn,
      { ms, since }: { readonly ms: number; readonly since: number | undefined },
      attributes: Attributes,
    ): void {
      turns(ms, attributes);
      const failed = outcomes.some(({ result }) => result === 'failed' || result === 'blocked');
      const isError = error !== undefined || failed;
      to.reconciles.add(1, { ...attributes, result: isError ? 'error' : 'success' });
      if (isError) to.errors.add(1, attributes);
      const written = outcomes.filter(isWrite);
      for (const { result } of written) to.writes.add(1, { ...attributes, result });
      const drifted = written.filter(({ origin }) => origin === 'drift').length;
      const repaired =
        since !== undefined && Date.now() - since <= 60_000 ? 'in_a_minute' : 'later';
      for (const each of repairs) {
        const value = each === repaired ? drifted : 0;
        to.drifted.add(value, { ...attributes, repaired: each });
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
