import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { startFunction } from '../../infra/start/functions/load-function.ts';
import { senders } from '../audit/senders.ts';
import { configFile } from '../support/config.ts';

it('the response to a compressed request of Firehose contains its id, so that it is not repeated', async () => {
  const { url, stop } = await startFunction({
    target: 'audit',
    port: 0,
    source: { config: configFile },
    env: { PATH: process.env.PATH, CLUSTERS: '[{"name":"other","context":"any"}]' },
    onLine: () => undefined,
    onExit: () => undefined,
  });
  onTestFinished(stop);
  const body = senders['CloudWatch Logs, by Firehose']?.body as { readonly requestId: string };
  const { requestId } = body;
  const response = await fetch(url, {
    method: 'POST',
    body: gzipSync(JSON.stringify(body)),
    headers: {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-amz-firehose-request-id': requestId,
    },
  });
  const received = (await response.json()) as { readonly timestamp: number };
  expect(response.status).toBe(200);
  expect(received).toMatchObject({ requestId, dropped: { 'another cluster': 1 } });
  expect(Math.abs(received.timestamp - Date.now())).toBeLessThan(60_000);
});
