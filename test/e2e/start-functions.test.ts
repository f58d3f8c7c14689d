import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import {
  type FunctionOptions,
  loadFunction,
  startFunction,
} from '../../infra/start/functions/load-function.ts';
import { StartError } from '../../infra/start/functions/start-error.ts';
import { configFile } from '../support/config.ts';
import { newDirectory } from '../support/directories.ts';

const options: Omit<FunctionOptions, 'port'> = {
  target: 'resync',
  source: { config: configFile },
  env: { PATH: process.env.PATH, CLUSTER_CONTEXT: 'any' },
  onLine: () => undefined,
  onExit: () => undefined,
};
const headers = { 'content-type': 'application/json' };

test('a released function frees its port at once, responds to requests that have begun to arrive, and ends', async () => {
  const exits: string[] = [];
  const onExit = (target: string) => exits.push(target);
  const before = await startFunction({ ...options, port: 0, onExit });
  onTestFinished(before.stop);
  const loaded = await loadFunction({ ...options, port: Number(before.url.port) });
  onTestFinished(loaded.stop);

  const begun = request(before.url, {
    method: 'POST',
    headers: { ...headers, 'content-length': 2, expect: '100-continue' },
  });
  const received = once(begun, 'response');
  begun.flushHeaders();
  await once(begun, 'continue');
  begun.write('[');
  const { ended } = await before.release();
  const after = await loaded.listen();
  expect(after.url.href).toBe(before.url.href);
  // Only the function itself returns 400 to an invalid request.
  expect((await fetch(after.url, { method: 'POST', headers, body: '[]' })).status).toBe(400);

  begun.end(']');
  const [response] = await received;
  expect(response.statusCode).toBe(400);
  response.resume();
  await ended;
  expect(exits).toEqual([]);
});

test('a loaded function does not listen, so the serving one keeps its port', async () => {
  const serving = await startFunction({ ...options, port: 0 });
  onTestFinished(serving.stop);
  const loaded = await loadFunction({ ...options, port: Number(serving.url.port) });
  onTestFinished(loaded.stop);
  expect((await fetch(serving.url, { method: 'POST', headers, body: '[]' })).status).toBe(400);
  await expect(loaded.listen()).rejects.toThrow('the resync function did not start: EADDRINUSE');
});

test('a function that cannot listen is reported with the reason and its last lines, even if it has printed a lot', async () => {
  const directory = await newDirectory('start-');
  const config = join(directory, 'reconciler.config.ts');
  await writeFile(
    config,
    `for (let line = 1; line <= 300; line++) console.log('line ' + line);
    export { default } from ${JSON.stringify(pathToFileURL(configFile))};`,
  );
  const serving = await startFunction({ ...options, port: 0 });
  onTestFinished(serving.stop);
  const printed = Promise.withResolvers<void>();
  const loaded = await loadFunction({
    ...options,
    source: { config },
    port: Number(serving.url.port),
    onLine: (line) => line === 'line 300' && printed.resolve(),
  });
  onTestFinished(loaded.stop);
  await printed.promise;
  const last = Array.from({ length: 200 }, (_, at) => `line ${at + 101}`);
  await expect(loaded.listen()).rejects.toThrow(
    new StartError(['the resync function did not start: EADDRINUSE', ...last].join('\n')),
  );
});

test('a function in an endless loop is stopped when it is released, so that its successor can listen', async () => {
  const directory = await newDirectory('start-');
  const code = join(directory, 'function.mjs');
  const framework = import.meta.resolve('@google-cloud/functions-framework');
  await writeFile(
    code,
    `import { http } from ${JSON.stringify(framework)};
    http('resync', () => {
      console.log('looping');
      for (;;);
    });`,
  );
  const looping = Promise.withResolvers<void>();
  const before = await startFunction({
    ...options,
    port: 0,
    source: { code: pathToFileURL(code) },
    onLine: (line) => line === 'looping' && looping.resolve(),
  });
  onTestFinished(before.stop);
  const loaded = await loadFunction({ ...options, port: Number(before.url.port) });
  onTestFinished(loaded.stop);
  const cutOff = fetch(before.url, { method: 'POST', headers, body: '{}' }).catch(() => 'cut off');
  await looping.promise;
  const { ended } = await before.release();
  expect((await loaded.listen()).url.href).toBe(before.url.href);
  await ended;
  expect(await cutOff).toBe('cut off');
});
