import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordingsAt } from '../../infra/recordings/place.ts';
import { startBucket } from '../support/bucket.ts';

const names = [
  'audit/2026-11-23T00:00:00.000Z-2.jsonl.gz',
  'notes.txt',
  'resync/2026-11-22T00:00:00.000Z-1.jsonl.gz',
  'resync/2026-11-24T00:00:00.000Z-3.jsonl',
  'resync/a?b#c%2F.jsonl',
];

describe('recordingsAt', () => {
  test('finds only recordings in a directory and below it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'place-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    for (const one of ['audit', 'resync']) await mkdir(join(directory, one));
    for (const one of names) await writeFile(join(directory, one), one);
    const found = await recordingsAt(directory, {});
    expect(found.map(({ path }) => path)).toEqual(names.filter((one) => one !== 'notes.txt'));
    for (const { name, path, read } of found) {
      expect(name).toBe(join(directory, path));
      expect(Buffer.from(await read()).toString()).toBe(path);
    }
  });

  test('finds the recordings in a bucket by their prefix, over several pages', async () => {
    const { host } = await startBucket(
      undefined,
      new Map(names.map((one) => [one, Buffer.from(one)])),
    );
    const env = { STORAGE_EMULATOR_HOST: host };
    const paths = async (place: string) => (await recordingsAt(place, env)).map(({ path }) => path);
    expect(await paths('gs://records')).toEqual(names.filter((one) => one !== 'notes.txt'));
    expect(await paths('gs://records/resync/2026-11-2')).toEqual([names[2], names[3]]);
    for (const { name, path, read } of await recordingsAt('gs://records', env)) {
      expect(name).toBe(`gs://records/${path}`);
      expect(Buffer.from(await read()).toString()).toBe(path);
    }
  });

  const bucketWith = async (code: number, body = '{}') =>
    (await startBucket((_, response) => response.writeHead(code).end(body))).host;

  test.each([
    { code: 401, says: /^cannot read gs:\/\/records: HTTP 401.*set GOOGLE_OAUTH_ACCESS_TOKEN/ },
    {
      code: 403,
      says: /^cannot read gs:\/\/records: HTTP 403; grant .*objectViewer on the bucket/,
    },
    { code: 404, says: /^cannot read gs:\/\/records: HTTP 404, there is no such bucket/ },
    { code: 200, body: '{"items":1}', says: /the response is not a list of objects/ },
    { code: 200, body: '{"nextPageToken":"more"}', says: /more than 100000 objects begin with ""/ },
  ])('explains a response $code $body', async ({ code, body, says }) => {
    const env = { STORAGE_EMULATOR_HOST: await bucketWith(code, body) };
    await expect(recordingsAt('gs://records', env)).rejects.toThrow(says);
  });

  test('repeats a request that the bucket could not serve', async () => {
    let requests = 0;
    const { host } = await startBucket((_, response) => {
      requests++;
      if (requests === 1) response.writeHead(503).end();
      else response.end('{"items":[{"name":"one.jsonl"}]}');
    });
    const found = await recordingsAt('gs://records', { STORAGE_EMULATOR_HOST: host });
    expect(found.map(({ name }) => name)).toEqual(['gs://records/one.jsonl']);
  });

  test.each([
    ['gs://', /gs:\/\/: write it as gs:\/\/my-recordings\/resync/],
    ['gs://Records/x', /write it as gs:/],
    ['/nonexistent', /\/nonexistent cannot be read: there is no such file or directory/],
  ])('refuses %s', async (place, says) => {
    await expect(recordingsAt(place, {})).rejects.toThrow(says);
  });

  test('sends no token that is not a header', async () => {
    const env = { GOOGLE_OAUTH_ACCESS_TOKEN: 'a\nb' };
    await expect(recordingsAt('gs://records', env)).rejects.toThrow(
      /GOOGLE_OAUTH_ACCESS_TOKEN is not a token/,
    );
  });
});
