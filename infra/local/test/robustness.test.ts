import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalCluster, startLocalCluster } from '../cluster.ts';
import {
  applyPatchType,
  ask,
  configMap,
  configMaps,
  deployment,
  deployments,
  mergePatchType,
} from './local-client.ts';

let cluster: LocalCluster;
beforeEach(async () => {
  cluster = await startLocalCluster();
});
afterEach(() => cluster.stop());

const statefulSets = '/apis/apps/v1/namespaces/default/statefulsets';

describe('a workload with the maximum number of replicas', () => {
  test('has them all, after a change of its template', async () => {
    const replicas = 2 ** 31 - 1;
    await ask(cluster, `POST ${deployments}`, { body: deployment('web', { replicas }) });
    await cluster.controllers.settled();
    const template = { metadata: { labels: { two: 'two' } } };
    await ask(cluster, `PATCH ${deployments}/web`, {
      body: { spec: { template } },
      type: mergePatchType,
    });
    await cluster.controllers.settled();
    const { body } = await ask(cluster, `GET ${deployments}/web`);
    expect(body.status).toMatchObject({
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
    });
  });

  test('creates claims for its first thousand', async () => {
    const resources = { requests: { storage: '1Gi' } };
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources },
    };
    const spec = { replicas: 2 ** 31 - 1, serviceName: 'db', volumeClaimTemplates: [claim] };
    await ask(cluster, `POST ${statefulSets}`, {
      body: { ...deployment('db', spec), kind: 'StatefulSet' },
    });
    await cluster.controllers.settled();
    const { body } = await ask(cluster, 'GET /api/v1/persistentvolumeclaims');
    expect(body.items).toHaveLength(1000);
    await ask(cluster, `DELETE ${statefulSets}/db`);
  });
});

test('a pattern with catastrophic backtracking is answered at once', async () => {
  const text = (more: object) => ({ type: 'string', ...more });
  const spec = {
    type: 'object',
    properties: {
      pattern: text({ pattern: '^(a+)+$' }),
      rule: text({
        maxLength: 100,
        'x-kubernetes-validations': [{ rule: 'self.matches("^(a+)+$")' }],
      }),
    },
  };
  await ask(cluster, 'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: {
      metadata: { name: 'toys.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'toys', kind: 'Toy' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          },
        ],
      },
    },
  });
  const bad = `${'a'.repeat(60)}!`;
  const make = (field: string) =>
    ask(cluster, 'POST /apis/example.com/v1/namespaces/default/toys', {
      body: {
        apiVersion: 'example.com/v1',
        kind: 'Toy',
        metadata: { name: 'x' },
        spec: { [field]: bad },
      },
    });
  expect((await make('pattern')).code).toBe(422);
  expect((await make('rule')).code).toBe(422);
});

test('YAML of twenty thousand keys takes a moment', async () => {
  const data = Array.from({ length: 20_000 }, (_, at) => `  k${at}: "v"\n`).join('');
  const body = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: big }\ndata:\n${data}`;
  const before = process.threadCpuUsage();
  const { code } = await ask(cluster, `POST ${configMaps}`, { body, type: 'application/yaml' });
  expect(code).toBe(201);
  const { user, system } = process.threadCpuUsage(before);
  expect(user + system).toBeLessThan(2_000_000);
});

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const forms = [
  { line: `POST ${configMaps}`, type: 'application/json', body: (deep: string) => `{"x":${deep}}` },
  { line: `PATCH ${configMaps}/x`, type: mergePatchType, body: (deep: string) => `{"x":${deep}}` },
  {
    line: `PATCH ${configMaps}/x`,
    type: 'application/strategic-merge-patch+json',
    body: (deep: string) => `{"x":${deep}}`,
  },
  {
    line: `PATCH ${configMaps}/x`,
    type: 'application/json-patch+json',
    body: (deep: string) => `[{"op":"add","path":"/x","value":${deep}}]`,
  },
  {
    line: `PATCH ${configMaps}/x?fieldManager=m`,
    type: applyPatchType,
    body: (deep: string) => `{"x":${deep}}`,
  },
];

test.each(forms)('$type nested without end is a bad request', async ({ line, type, body }) => {
  await ask(cluster, `POST ${configMaps}`, { body: configMap('x') });
  const reply = (levels: number) => ask(cluster, line, { type, body: body(nested(levels)) });
  expect((await reply(9_000)).text).not.toMatch(/\.ts|\bat /);
  const { code, body: status } = await reply(30_000);
  expect({ code, reason: status.reason }).toEqual({ code: 400, reason: 'BadRequest' });
  expect(status.message).toContain('exceeded max depth');
});

test('an unexpected error is answered without a stack or a path', async () => {
  cluster.intercept(() => {
    throw new TypeError('surprise');
  });
  const { code, text, body } = await ask(cluster, `GET ${configMaps}`);
  expect({ code, message: body.message }).toEqual({
    code: 500,
    message: 'Internal error occurred: surprise',
  });
  expect(text).not.toContain('.ts');
});

test('pipelined requests are carried out in order', async () => {
  const socket = connect(cluster.port, '127.0.0.1');
  const head = (line: string, more = '') =>
    `${line} HTTP/1.1\r\nhost: localhost\r\n${more}content-type: application/json\r\n`;
  const posts = ['a', 'b', 'c'].map((name) => {
    const body = JSON.stringify(configMap(name));
    return `${head(`POST ${configMaps}`)}content-length: ${body.length}\r\n\r\n${body}`;
  });
  socket.write(`${posts.join('')}${head(`GET ${configMaps}/c`, 'connection: close\r\n')}\r\n`);
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  await once(socket, 'close');
  expect([...received.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, code]) => code)).toEqual([
    '201',
    '201',
    '201',
    '200',
  ]);
});

test('a URL and a header of 100 kB are accepted', async () => {
  const long = 'x'.repeat(100_000);
  const { code } = await ask(cluster, `GET ${configMaps}?pretty=${long}`, { headers: { long } });
  expect(code).toBe(200);
});

test('a watch whose client does not read is dropped before it takes much memory', async () => {
  const names = Array.from({ length: 5 }, (_, at) => `big${at}`);
  const big = { x: 'x'.repeat(900_000) };
  for (const name of names) {
    await ask(cluster, `POST ${configMaps}`, { body: { ...configMap(name), data: big } });
  }
  const socket = connect(cluster.port, '127.0.0.1');
  const dropped = once(socket, 'close');
  socket.on('error', () => undefined);
  socket.write(`GET ${configMaps}?watch=true HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await once(socket, 'readable');
  socket.pause();
  const watches = () => cluster.requests.list().filter(({ verb }) => verb === 'watch').length;
  for (let round = 0; watches() === 0 && round < 200; round++) {
    const labels = { round: String(round) };
    await ask(cluster, `PATCH ${configMaps}/big0`, {
      body: { metadata: { labels } },
      type: mergePatchType,
    });
  }
  expect(watches()).toBe(1);
  socket.resume();
  await dropped;
});
