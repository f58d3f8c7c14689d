import { messageOf } from '../cluster/cluster-errors.ts';
import type { Environment } from '../environment.ts';
import type { Telemetry } from '../run/telemetry.ts';
import type { TelemetryOptions } from './otlp.ts';

/** The standard variables that turn OpenTelemetry on. */
const endpoints = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
] as const;

const isOn = (environment: Environment): boolean =>
  environment.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  (isScraped(environment) || endpoints.some((name) => (environment[name] ?? '') !== ''));

/** Reports whether metrics are served for Prometheus to scrape, instead of sent. */
const isScraped = ({ OTEL_METRICS_EXPORTER }: Environment): boolean =>
  OTEL_METRICS_EXPORTER === 'prometheus';

/**
 * Returns a function that loads OpenTelemetry when first called, or at once if metrics are to be scraped; undefined
 * unless its variables name an endpoint or Prometheus.
 *
 * Guarantees: if it cannot be loaded, runs continue without it, and a warning says why.
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
