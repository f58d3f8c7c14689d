import type { Attributes } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import type { MetricReader, ViewOptions } from '@opentelemetry/sdk-metrics';
import type { Environment } from '../environment.ts';

/** Names of metrics in Prometheus. Metrics of controller-runtime and client-go with the same meaning have this name. */
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

/** Renames attributes to labels, such as `reconciler.trigger` to `trigger`, and names a controller after its kind. */
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

/** Serves `/metrics` at the host and port in OpenTelemetry's variables, by default localhost:9464. */
export async function servePrometheus(environment: Environment): Promise<MetricReader> {
  const exporter = new PrometheusExporter({
    host: environment.OTEL_EXPORTER_PROMETHEUS_HOST || 'localhost',
    port: Number(environment.OTEL_EXPORTER_PROMETHEUS_PORT || 9464),
    withoutScopeInfo: true,
    preventServerStart: true,
  });
  await exporter.startServer();
  return exporter;
}
