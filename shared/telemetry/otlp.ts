import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
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
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { KubeError, messageOf } from '../cluster/cluster-errors.ts';
import type { Log } from '../log.ts';
import type { Telemetry } from '../run/telemetry.ts';
import { openMeasures } from './measures.ts';

export interface TelemetryOptions {
  readonly service: string;
  readonly version: string;
  /** Returns the header `traceparent` of the current request. */
  readonly traceparent: () => string | undefined;
  readonly log: Log;
}

/** Time limit for sending a run's telemetry, in milliseconds. */
const exportMs = 2_000;
/** Limit of spans in one run; further ones are dropped. */
const maxSpans = 20_000;

/**
 * Sends traces and metrics by OTLP over HTTP, configured by OpenTelemetry's variables.
 *
 * Guarantees: everything is sent before a run ends, because the instance may be frozen afterwards. An
 * endpoint that is slow or refuses costs two seconds and a warning, never a run. Counters have delta
 * temporality and a `service.instance.id` for each process, so those of short-lived and parallel instances
 * add up.
 */
export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { tracer, meter, flush } = openExport(options);
  const within = openSpans(tracer, options.traceparent);
  const measure = openMeasures(meter);
  return {
    async run({ trigger, cluster, eventAgeMs }, act) {
      const attributes = { 'reconciler.trigger': trigger, 'k8s.cluster.name': cluster };
      const begun = Date.now();
      if (eventAgeMs !== undefined) measure.eventAge(eventAgeMs, attributes);
      try {
        const result = await within('run', { attributes, kind: SpanKind.SERVER }, act);
        measure.run(result, Date.now() - begun, attributes);
        return result;
      } finally {
        await flush();
      }
    },
    async resource({ kind, namespace, name }, act) {
      const attributes = { 'reconciler.kind': kind };
      const own = { ...attributes, 'k8s.namespace.name': namespace, 'k8s.object.name': name };
      const begun = Date.now();
      const result = await within(`reconcile ${kind}`, { attributes: own }, act);
      measure.turn(result, Date.now() - begun, attributes);
      return result;
    },
    connection: ({ send, close }) => ({
      async send(call, signal) {
        const begun = Date.now();
        const method = { 'http.request.method': call.method };
        const attributes = { ...method, 'url.path': call.path.split('?')[0] ?? '' };
        let failure: Attributes = {};
        try {
          const about = { kind: SpanKind.CLIENT, attributes };
          return await within(call.what, about, () => send(call, signal));
        } catch (error) {
          failure = { 'error.type': errorTypeOf(error) };
          throw error;
        } finally {
          measure.request(Date.now() - begun, { ...method, ...failure });
        }
      },
      close,
    }),
  };
}

function openExport({ service, version, log }: TelemetryOptions) {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': service, 'service.version': version }))
    .merge(
      detectResources({
        detectors: [
          serviceInstanceIdDetector,
          resourceAttributesEnvDetector,
          serviceNameEnvDetector,
        ],
      }),
    );
  const exporter = new OTLPTraceExporter({ timeoutMillis: exportMs });
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: maxSpans });
  const traces = new TracerProvider({ resource, spanProcessors: [processor] });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({
      timeoutMillis: exportMs,
      temporalityPreference: AggregationTemporalityPreference.DELTA,
    }),
    // Disables the periodic export: only the end of a run exports.
    exportIntervalMillis: 2 ** 31 - 1,
    exportTimeoutMillis: exportMs,
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  return {
    tracer: traces.getTracer('reconciler'),
    meter: meters.getMeter('reconciler'),
    flush: (): Promise<unknown> =>
      inTime(Promise.all([traces.forceFlush(), meters.forceFlush()])).catch((error: unknown) =>
        log.warning('telemetry not sent', { error: messageOf(error) }),
      ),
  };
}

/** The value of `error.type`: the status code of a refusal, such as `409`, or the name of the error. */
const errorTypeOf = (error: unknown): string =>
  error instanceof KubeError ? String(error.code) : error instanceof Error ? error.name : 'error';

/** The message without the server's own text, which may quote a refused Secret. */
const shownOf = (error: unknown): string =>
  error instanceof KubeError ? `${error.code} ${error.reason}` : messageOf(error);

/** Rejects if `sending` takes longer than `exportMs`. */
function inTime<T>(sending: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`not sent within ${exportMs} ms`)),
    exportMs,
  );
  return Promise.race([sending, late.promise]).finally(() => clearTimeout(timer));
}

/**
 * Returns a function that calls `act` in a span. A span that begins in another, also asynchronously, is its
 * child.
 */
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
