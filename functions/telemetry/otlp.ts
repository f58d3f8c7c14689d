import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporalityPreference,
  OTLPMetricExporter,
} from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  MeterProvider,
  type MetricReader,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { isConflict, isKubeError, messageOf } from '../../shared/cluster/cluster-errors.ts';
import { within } from '../../shared/cluster/time-limit.ts';
import type { Environment } from '../../shared/environment.ts';
import type { Log } from '../../shared/log.ts';
import type { MeasuredRun, RunFields, Telemetry } from '../../shared/run/telemetry.ts';
import { openMeasures, servePrometheus } from './metrics.ts';

export interface TelemetryOptions {
  readonly service: string;
  readonly version: string;
  readonly traceparent: () => string | undefined;
  readonly log: Log;
}

const exportMs = 2_000;
const late = (): Error => new Error(`not sent within ${exportMs} ms`);
const maxSpans = 20_000;
/** Spans in one request. A full queue thus takes 20 requests, fewer than the 30 that an exporter allows in flight. */
const maxSpansAtOnce = 1_000;

/**
 * Sends traces and metrics by OTLP over HTTP, or serves the metrics to Prometheus.
 *
 * Guarantees: everything is sent before a run ends, because the instance may be frozen afterwards. A failing endpoint
 * costs two seconds and a warning, never a run. Counters of short-lived and parallel instances add up, because sent
 * metrics have delta temporality and a `service.instance.id`.
 */
export async function openTelemetry(
  options: TelemetryOptions,
  environment: Environment,
): Promise<Telemetry> {
  const { tracer, meter, flush } = await openExport(options, environment);
  const within = openSpans(tracer, options.traceparent);
  const measure = openMeasures(meter);
  const turns = new AsyncLocalStorage<Attributes>();
  return {
    queued: measure.queued,
    async run<R extends MeasuredRun>(
      { trigger, cluster, eventAgeMs }: RunFields,
      act: () => Promise<R>,
    ): Promise<R> {
      const labels = { trigger, cluster };
      const attributes = { 'reconciler.trigger': trigger, 'k8s.cluster.name': cluster };
      const begun = Date.now();
      if (eventAgeMs !== undefined) measure.eventAge(eventAgeMs, labels);
      const running = within('run', { attributes, kind: SpanKind.SERVER }, act);
      const result = await running.catch(() => undefined);
      measure.run(result, Date.now() - begun, labels);
      await flush();
      return running;
    },
    async resource({ kind, namespace, name, since }, act) {
      const labels = { controller: kind.toLowerCase() };
      const attributes = { 'k8s.namespace.name': namespace, 'k8s.object.name': name };
      const begun = Date.now();
      const result = await turns.run(labels, () =>
        within(`reconcile ${kind}`, { attributes }, act),
      );
      measure.turn(result, { ms: Date.now() - begun, since }, labels);
      return result;
    },
    connection: ({ send, close }) => ({
      async send(call, signal) {
        const begun = Date.now();
        const { method } = call;
        const path = call.path.replace(/\?.*/, '');
        const attributes = { 'http.request.method': method, 'url.path': path };
        let failure: Attributes = {};
        try {
          const options = { kind: SpanKind.CLIENT, attributes };
          return await within(call.what, options, () => send(call, signal));
        } catch (error) {
          if (isConflict(error)) measure.conflict(turns.getStore() ?? {});
          failure = { error_type: errorTypeOf(error) };
          throw error;
        } finally {
          measure.request(Date.now() - begun, { method, ...failure });
        }
      },
      close,
    }),
  };
}

async function openExport({ service, version, log }: TelemetryOptions, environment: Environment) {
  const problems = new Set<string>();
  const note = (error: unknown): unknown => problems.add(messageOf(error));
  hearProblems(note);
  const detectors = [
    serviceInstanceIdDetector,
    resourceAttributesEnvDetector,
    serviceNameEnvDetector,
  ];
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': service, 'service.version': version }))
    .merge(detectResources({ detectors }));
  const isSent = (signal: 'TRACES' | 'METRICS'): boolean =>
    environment[`OTEL_${signal}_EXPORTER`] !== 'none' &&
    Boolean(
      environment.OTEL_EXPORTER_OTLP_ENDPOINT ||
        environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`],
    );
  const exporters = isSent('TRACES') ? [new OTLPTraceExporter({ timeoutMillis: exportMs })] : [];
  const limits = { maxQueueSize: maxSpans, maxExportBatchSize: maxSpansAtOnce };
  const spanProcessors = exporters.map(
    (exporter) => new BatchSpanProcessor({ exporter, ...limits }),
  );
  const traces = new TracerProvider({ resource, spanProcessors });
  const scraped = environment.OTEL_METRICS_EXPORTER === 'prometheus';
  const meters = new MeterProvider(
    scraped
      ? { resource, readers: [await servePrometheus(environment)] }
      : { resource, readers: isSent('METRICS') ? [sendingMetrics()] : [] },
  );
  return {
    tracer: traces.getTracer('reconciler'),
    meter: meters.getMeter('reconciler'),
    async flush(): Promise<void> {
      const send = async (): Promise<void> => {
        await Promise.all([traces.forceFlush().catch(note), meters.forceFlush()]);
        await Promise.all(exporters.map((exporter) => exporter.forceFlush()));
      };
      await within(exportMs, send, late).catch(note);
      if (problems.size > 0) log.warning('telemetry not sent', { error: [...problems].join('; ') });
      problems.clear();
    },
  };
}

/** Sets OpenTelemetry's global handlers, because only they receive problems such as refused spans. */
function hearProblems(note: (error: unknown) => void): void {
  const hear = (...parts: readonly unknown[]): void =>
    note(parts.filter((part) => typeof part === 'string').join(' '));
  diag.setLogger(
    { error: hear, warn: hear, info: hear, debug: hear, verbose: hear },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler(note);
}

const sendingMetrics = (): MetricReader =>
  new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({
      timeoutMillis: exportMs,
      temporalityPreference: AggregationTemporalityPreference.DELTA,
    }),
    // As long as possible, because metrics are sent at the end of each run.
    exportIntervalMillis: 2 ** 31 - 1,
    exportTimeoutMillis: exportMs,
  });

const errorTypeOf = (error: unknown): string =>
  isKubeError(error) ? String(error.code) : error instanceof Error ? error.name : 'error';

/** Omits the API server's message, because it may quote a refused Secret. */
const shownOf = (error: unknown): string =>
  isKubeError(error) ? `${error.code} ${error.reason}` : messageOf(error);

function openSpans(tracer: Tracer, traceparent: TelemetryOptions['traceparent']) {
  const active = new AsyncLocalStorage<Context>();
  return async <R>(name: string, options: SpanOptions, act: () => Promise<R>): Promise<R> => {
    const parent = active.getStore() ?? callerOf(traceparent());
    const span = tracer.startSpan(name, options, parent);
    try {
      return await active.run(trace.setSpan(parent, span), act);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: shownOf(error) });
      throw error;
    } finally {
      span.end();
    }
  };
}

const callerOf = (traceparent: string | undefined): Context =>
  new W3CTraceContextPropagator().extract(
    ROOT_CONTEXT,
    { traceparent },
    { get: (carrier, key) => carrier[key], keys: Object.keys },
  );
