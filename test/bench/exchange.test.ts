import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import {
  comparedAt,
  player,
  type Received,
  recorder,
  type Sent,
  sumOfTraffic,
  verbOf,
} from './exchange.ts';

it.each([
  ['list', 'GET', '/api/v1/services?limit=500'],
  ['list', 'GET', '/apis/apps/v1/namespaces/a/deployments'],
  ['list', 'GET', '/api/v1/namespaces'],
  ['get', 'GET', '/api/v1/namespaces/a'],
  ['get', 'GET', '/apis/apps/v1/namespaces/a/deployments/b'],
  ['get', 'GET', '/apis/apps/v1/namespaces/a/deployments/b/scale'],
  ['watch', 'GET', '/api/v1/services?watch=true'],
  ['watch', 'GET', '/api/v1/services?watch=1'],
  ['list', 'GET', '/api/v1/services?watch=0'],
  ['create', 'POST', '/api/v1/namespaces/a/events'],
  ['update', 'PUT', '/api/v1/namespaces/a/services/b'],
  ['patch', 'PATCH', '/api/v1/namespaces/a/services/b'],
  ['delete', 'DELETE', '/api/v1/namespaces/a/services/b'],
])('verbOf: %s is the verb of %s %s', (verb, method, path) => {
  expect(verbOf({ method, path })).toBe(verb);
});

const sent = (path: string): Sent => ({ method: 'GET', path, headers: {}, body: Buffer.alloc(0) });
const response = (text: string): Received => ({ code: 200, headers: {}, body: Buffer.from(text) });

it('a replay returns the responses to each path in order, then repeats the last one, and refuses other paths', async () => {
  const responses = ['a1', 'b1', 'a2'].values();
  const { handle, recording } = recorder(() => response(responses.next().value ?? ''));
  for (const path of ['/a', '/b', '/a']) await handle(sent(path));
  expect(recording.sent.map(({ path }) => path)).toEqual(['/a', '/b', '/a']);
  const play = player(recording);
  const strings: string[] = [];
  for (const path of ['/b', '/a', '/a', '/a'])
    strings.push((await play(sent(path))).body.toString());
  expect(strings).toEqual(['b1', 'a1', 'a2', 'a2']);
  expect(await play(sent('/c'))).toMatchObject({ code: 404 });
});

it('a recording is moved to the time of its replay, so that no daily comparison is due, compressed or not', async () => {
  const status = (time: string): string => JSON.stringify({ status: { comparedAt: time } });
  const [old, now] = ['2026-11-25T00:00:00Z', '2026-11-26T00:00:00Z'].map(status) as [
    string,
    string,
  ];
  const packed = gzipSync(old);
  const headers = { 'content-encoding': 'gzip', 'content-length': String(packed.length) };
  const { handle, recording } = recorder(({ path }) =>
    path === '/packed' ? { code: 200, headers, body: packed } : response(path === '/a' ? old : 'b'),
  );
  for (const path of ['/a', '/b', '/packed']) await handle(sent(path));
  const play = player(comparedAt(recording, '2026-11-26T00:00:00Z'));
  expect((await play(sent('/a'))).body.toString()).toBe(now);
  expect((await play(sent('/b'))).body.toString()).toBe('b');
  const { body, headers: changed } = await play(sent('/packed'));
  expect(gunzipSync(body).toString()).toBe(now);
  expect(changed['content-length']).toBe(String(body.length));
});

it('the traffic of two intervals is added', () => {
  const one = { bytesSent: 1, bytesReceived: 2, conflicts: 3, connections: 4 };
  expect(
    sumOfTraffic({ ...one, requests: { get: 1 } }, { ...one, requests: { get: 2, list: 3 } }),
  ).toEqual({
    bytesSent: 2,
    bytesReceived: 4,
    conflicts: 6,
    connections: 8,
    requests: { get: 3, list: 3 },
  });
});
