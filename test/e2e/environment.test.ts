import { expect, onTestFinished, test } from 'vitest';
import { readLogLine } from '../../infra/log-line.ts';
import { startFunction } from '../../infra/start/functions/load-function.ts';
import { configFile } from '../support/config.ts';

test('an invalid configuration causes one readable log line', async () => {
  const lines: string[] = [];
  const started = startFunction({
    target: 'resync',
    port: 0,
    source: { config: configFile },
    env: { PATH: process.env.PATH, CLUSTER_CONTEXT: 'demo', KINDS: ',' },
    onLine: (line) => lines.push(line),
    onExit: () => undefined,
  });
  const text = 'KINDS: "," is a list without names; leave KINDS unset for the default';
  await expect(started).rejects.toThrow(
    `the resync function did not start: configuration refused: ${text}`,
  );
  expect(lines.map(readLogLine)).toEqual([
    { severity: 'ERROR', message: 'configuration refused', error: text },
  ]);
});

test('the response of the framework to an unparsable body contains no local path', async () => {
  const { url, stop } = await startFunction({
    target: 'audit',
    port: 0,
    source: { config: configFile },
    env: { PATH: process.env.PATH, CLUSTER_CONTEXT: 'demo' },
    onLine: () => undefined,
    onExit: () => undefined,
  });
  onTestFinished(stop);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: '{"a' });
  const text = await response.text();
  expect([response.status, text]).toEqual([
    400,
    expect.not.stringMatching(/node_modules|\.ts|\.js/),
  ]);
});
