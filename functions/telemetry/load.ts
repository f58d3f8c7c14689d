import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import type { Environment } from '../../shared/environment.ts';
import { once } from '../../shared/once.ts';
import type { Telemetry } from '../../shared/run/telemetry.ts';
import type { TelemetryOptions } from './otlp.ts';

/** Loads at once for Prometheus, which may scrape before the first run. If loading fails, runs have no telemetry. */
export function telemetryFor(environment: Environment, options: TelemetryOptions) {
  const isScraped = environment.OTEL_METRICS_EXPORTER === 'prometheus';
  const isSent = ['', 'TRACES_', 'METRICS_'].some(
    (signal) => environment[`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`],
  );
  if (!(isScraped || isSent) || environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true')
    return undefined;
  const load = once(async (): Promise<Telemetry | undefined> => {
    try {
      const { openTelemetry } = await import('./otlp.ts');
      return await openTelemetry(options, environment);
    } catch (error) {
      options.log.warning('telemetry not sent', { error: messageOf(error) });
      return undefined;
    }
  });
  if (isScraped) void load();
  return load;
}
