import { expect, test } from 'vitest';
import { dryRunOver } from '../../infra/actions/dry-run-connection.ts';
import type { Call, Connection } from '../../shared/cluster/http/connection.ts';

const call = (method: Call['method'], path: string): Call => ({ method, path, what: 'test' });

/** Opens a connection that responds with `response`, and records its requests. */
function recorded(response: (call: Call) => unknown) {
  const sent: string[] = [];
  const connection: Connection = {
    async send(one) {
      sent.push(`${one.method} ${one.path}`);
      return { value: response(one), bytes: 1 };
    },
    close: () => undefined,
  };
  return { sent, connection: dryRunOver(connection) };
}

test('a dry-run cluster sends reads unchanged, and writes with dryRun', async () => {
  const { sent, connection } = recorded(() => ({}));
  await connection.send(call('GET', '/a?limit=1'));
  await connection.send(call('PATCH', '/a?force=true'));
  await connection.send(call('DELETE', '/b'));
  expect(sent).toEqual([
    'GET /a?limit=1',
    'PATCH /a?force=true&dryRun=All',
    'DELETE /b?dryRun=All',
  ]);
});

test('a dry-run cluster sets dryRun in the options of a deletion, because the API server then ignores the query', async () => {
  const sent: Call[] = [];
  const connection = dryRunOver({
    async send(one) {
      sent.push(one);
      return { value: {}, bytes: 1 };
    },
    close: () => undefined,
  });
  const options = { kind: 'DeleteOptions', preconditions: { uid: 'u' } };
  await connection.send({ ...call('DELETE', '/b'), body: options });
  expect(sent).toMatchObject([{ path: '/b', body: { ...options, dryRun: ['All'] } }]);
});

test('a dry-run cluster sends only the first of several writes to an object and to its status', async () => {
  const { sent, connection } = recorded(({ path }) => ({ metadata: { name: path } }));
  const first = await connection.send(call('PATCH', '/a?fieldManager=one'));
  const second = await connection.send(call('PATCH', '/a?fieldManager=two'));
  await connection.send(call('PATCH', '/a/status'));
  expect(second).toBe(first);
  expect(sent).toEqual(['PATCH /a?fieldManager=one&dryRun=All', 'PATCH /a/status?dryRun=All']);
});

test('a dry-run cluster sends each creation, although all have the path of the collection', async () => {
  const { sent, connection } = recorded(() => ({}));
  await connection.send(call('POST', '/events'));
  await connection.send(call('POST', '/events'));
  expect(sent).toHaveLength(2);
});

test('a dry-run cluster returns a resourceVersion for an object that was not created, and keeps that of an existing one', async () => {
  const { connection } = recorded(({ path }) => ({
    metadata: path.startsWith('/new') ? { uid: 'u' } : { resourceVersion: '7' },
  }));
  const made = await connection.send(call('PATCH', '/new'));
  const changed = await connection.send(call('PATCH', '/old'));
  expect([made.value, changed.value]).toEqual([
    { metadata: { uid: 'u', resourceVersion: '0' } },
    { metadata: { resourceVersion: '7' } },
  ]);
});

test('a dry-run cluster sends a failed write again', async () => {
  let tries = 0;
  const { sent, connection } = recorded(() => {
    if (tries++ === 0) throw new Error('lost');
    return {};
  });
  await expect(connection.send(call('PATCH', '/a'))).rejects.toThrow('lost');
  await connection.send(call('PATCH', '/a'));
  expect(sent).toHaveLength(2);
});
