import { messageOf } from '../cluster/cluster-errors.ts';
import type { Environment } from '../environment.ts';
import type { Telemetry } from '../run/telemetry.ts';
import type { TelemetryOptions } from './otlp.ts';

const endpoints = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
] as const;

const isOn = (environment: Environment): boolean =>
  environment.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  (isScraped(environment) || endpoints.some((name) => (environment[name] ?? '') !== ''));

/** Reports whether Prometheus scrapes the metrics, in which case they are not exported by OTLP. */
const isScraped = ({ OTEL_METRICS_EXPORTER }: Environment): boolean =>
  OTEL_METRICS_EXPORTER === 'prometheus';

/**
 * Returns a function that loads OpenTelemetry when first called; undefined unless its variables name an endpoint or
 * Prometheus. Loads it at once for Prometheus, which may scrape before the first run. If it cannot be loaded, runs
 * continue without it, and a warning says why.
 */
export function telemetryFor(
  environment: Environment,
  options: TelemetryOptions,
): (() => Promise<Telemetry | undefined>) | undefined {
  if (!isOn(environment)) return undefined;
  let opening: Promise<Telemetry | undefined> | undefined;
  const open = async (): Promise<Telemetry | undefined> => {
    try {
      const { openTelemetry } = await import('./otlp.ts');
      return await openTelemetry(options, environment);
    } catch (error) {
      options.log.warning('telemetry not sent', { error: messageOf(error) });
      return undefined;
    }
  };
  const load = (): Promise<Telemetry | undefined> => {
    opening ??= open();
    return opening;
  };
  if (isScraped(environment)) void load();
  return load;
}
