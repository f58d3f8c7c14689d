import { expect, test } from 'vitest';
import { openTelemetry } from '../../functions/telemetry/otlp.ts';
import { resyncOrFanOut } from '../../shared/controller/scheduled-resync.ts';
import { metadata, startApiEndpoint, status } from '../support/api-endpoint.ts';
import { logInto } from '../support/log.ts';
import { freePort } from '../support/processes.ts';
import { reconcilerAgainst } from '../support/reconciler.ts';

test.each([
  ['a resync that reads every kind', /^$/, false, 'whole'],
  ['a resync that is refused one kind', /foos$/, false, 'partial'],
  ['a resync that is refused every kind', /./, false, 'failed'],
  ['a fan-out that lists every kind', /^$/, true, 'whole'],
  ['a fan-out that is refused one kind', /foos$/, true, 'partial'],
  ['a fan-out that is refused every kind', /./, true, 'failed'],
])('the metrics count %s', async (_, refused, fansOut, outcome) => {
  const web = { metadata: { ...metadata('web'), namespace: 'team-a' } };
  const { url } = await startApiEndpoint(({ path }) => {
    if (refused.test(path)) return status(401, 'Unauthorized');
    return { body: { items: path.endsWith('/websites') && fansOut ? [web] : [], metadata: {} } };
  });
  const port = await freePort();
  const telemetry = await openTelemetry(
    { service: 'r', version: '1', traceparent: () => undefined, log: logInto([], 'ERROR') },
    { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_EXPORTER_PROMETHEUS_PORT: String(port) },
  );
  const { reconciler: made } = reconcilerAgainst(url, {}, { telemetry: async () => telemetry });
  const publish = fansOut ? async () => undefined : undefined;
  const platform = { ...made.config.platform, publish };
  const reconciler = { ...made, config: { ...made.config, platform } };
  await resyncOrFanOut(reconciler, {}).catch(() => undefined);
  const scraped = await (await fetch(`http://localhost:${port}/metrics`)).text();
  const counted = /^reconciler_runs_total\{trigger="resync".*outcome="(\w+)"\} 1$/gm;
  expect([...scraped.matchAll(counted)].map(([, value]) => value)).toEqual([outcome]);
  await made.close();
});
