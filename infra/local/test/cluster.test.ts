import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { type LocalCluster, type LocalClusterOptions, startLocalCluster } from '../cluster.ts';
import {
  applyPatchType,
  ask,
  configMap,
  configMaps,
  deployment,
  deployments,
} from './local-client.ts';

const running: LocalCluster[] = [];
const start = async (options?: LocalClusterOptions): Promise<LocalCluster> => {
  const cluster = await startLocalCluster(options);
  running.push(cluster);
  return cluster;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((cluster) => cluster.stop()));
});

describe('a local cluster', () => {
  test('is one of several, each with its own objects', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    await ask(one, `POST ${configMaps}`, { body: configMap('x') });
    expect((await ask(one, `GET ${configMaps}/x`)).code).toBe(200);
    expect((await ask(other, `GET ${configMaps}/x`)).code).toBe(404);
  });

  test('names the port in use, and the cause', async () => {
    const { port } = await start();
    const second = startLocalCluster({ port });
    await expect(second).rejects.toThrow(String(port));
    await expect(second).rejects.toMatchObject({ cause: { code: 'EADDRINUSE' } });
  });

  test('ends its watches when it stops', async () => {
    const cluster = await startLocalCluster();
    const response = await fetch(`${cluster.url}${configMaps}?watch=true`);
    const ended = response.text();
    await cluster.stop();
    expect(await ended).toBe('');
  });

  test('drops a watch that is not read, and no other', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const cluster = await start();
    const reading = await fetch(`${cluster.url}${configMaps}?watch=true`);
    const received = reading.text();
    const idle = await fetch(`${cluster.url}${deployments}?watch=true`);
    const deaf = connect(cluster.port, '127.0.0.1');
    deaf.write(`GET ${configMaps}?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await once(deaf, 'readable');
    const data = { text: 'x'.repeat(1_000_000) };
    for (let n = 0; n < 12; n++)
      await ask(cluster, `POST ${configMaps}`, { body: { ...configMap(`x${n}`), data } });
    vi.advanceTimersByTime(120_000);
    await once(deaf.on('error', () => undefined).resume(), 'close');
    await ask(cluster, `POST ${deployments}`, { body: deployment('x') });
    const { value } = (await idle.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toContain('"ADDED"');
    await cluster.stop();
    expect((await received).trim().split('\n')).toHaveLength(12);
  });

  test('writes a kubeconfig with the token asked for', async () => {
    const cluster = await start();
    const config = parse(cluster.kubeconfig('secret'));
    expect(config.clusters[0].cluster.server).toBe(cluster.url);
    expect(config.users[0].user).toEqual({ token: 'secret' });
    expect(parse(cluster.kubeconfig()).users[0].user).toEqual({});
  });

  test('uses the given clock and uids', async () => {
    let count = 0;
    const cluster = await start({
      clock: () => new Date('2020-02-02T02:02:02Z'),
      uid: () => `uid-${++count}`,
    });
    const { body } = await ask(cluster, `POST ${configMaps}`, { body: configMap('x') });
    expect(body.metadata.creationTimestamp).toBe('2020-02-02T02:02:02Z');
    expect(body.metadata.uid).toBe(`uid-${count}`);
  });
});

describe('the HTTP server', () => {
  const withHost = (url: string, host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(`${url}/api/v1/namespaces`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });

  test.each([
    { reason: 'the address it serves at', given: '127.0.0.1', want: 200 },
    { reason: 'a foreign DNS name', given: 'evil.example', want: 403 },
  ])('Host $given: $want, because it is $reason', async ({ given, want }) => {
    const { url, port } = await start();
    expect(await withHost(url, `${given}:${port}`)).toBe(want);
  });

  test('refuses a body of more than 3 MiB', async () => {
    const body = configMap('x', { annotations: { a: 'x'.repeat(3 * 1024 * 1024) } });
    const { code } = await ask(await start(), `POST ${configMaps}`, { body });
    expect(code).toBe(413);
  });

  test('compresses large answers when asked', async () => {
    const cluster = await start();
    const data = { a: 'x'.repeat(200_000) };
    await ask(cluster, `POST ${configMaps}`, { body: { ...configMap('x'), data } });
    const { headers, body } = await ask(cluster, `GET ${configMaps}/x`);
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(body.data.a).toHaveLength(200_000);
    expect(cluster.requests.list().at(-1)?.bytes).toBeLessThan(10_000);
  });

  test('counts requests', async () => {
    const cluster = await start();
    await ask(cluster, `POST ${configMaps}`, { body: configMap('x') });
    await ask(cluster, `GET ${configMaps}`);
    await ask(cluster, `GET ${configMaps}/x`);
    expect(Object.keys(cluster.requests.counts())).toEqual([
      'create configmaps',
      'list configmaps',
      'get configmaps',
    ]);
    cluster.requests.reset();
    expect(cluster.requests.list()).toEqual([]);
  });
});

describe('users', () => {
  const tokens = { t: { username: 'alice', groups: ['team'] } };
  const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch'] };
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';

  test.each(['constructor', '__proto__', 'toString'])(
    'the token %s is not a user from the prototype',
    async (token) => {
      const cluster = await start({ tokens });
      expect((await ask(cluster, `GET ${configMaps}`, { token })).code).toBe(401);
    },
  );

  test('without a token the caller is the administrator, a wrong token is refused', async () => {
    const cluster = await start({ tokens });
    expect((await ask(cluster, `GET ${configMaps}`)).code).toBe(200);
    expect((await ask(cluster, `GET ${configMaps}`, { token: 'wrong' })).code).toBe(401);
    expect((await ask(cluster, `GET ${configMaps}`, { token: 't' })).code).toBe(403);
  });

  test('an apply that creates needs the verb create as well', async () => {
    const cluster = await start({ tokens });
    await ask(cluster, `POST ${rbac}/roles`, { body: { metadata: { name: 'r' }, rules: [rule] } });
    await ask(cluster, `POST ${rbac}/rolebindings`, {
      body: {
        metadata: { name: 'r' },
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [{ kind: 'Group', name: 'team' }],
      },
    });
    const line = `PATCH ${configMaps}/x?fieldManager=m`;
    const apply = { body: configMap('x'), type: applyPatchType };
    const refused = await ask(cluster, line, { ...apply, token: 't' });
    expect(refused.code).toBe(403);
    expect(refused.body.message).toContain('cannot create resource "configmaps"');
    await ask(cluster, line, apply);
    expect((await ask(cluster, line, { ...apply, token: 't' })).code).toBe(200);
  });
});

describe('the audit log', () => {
  test('holds each change with its user', async () => {
    const events: object[] = [];
    const cluster = await start({
      tokens: { t: { username: 'alice' } },
      controllers: 'paused',
      onAudit: (event) => events.push(event),
    });
    await ask(cluster, `GET ${configMaps}`);
    await ask(cluster, `PATCH ${configMaps}/x?fieldManager=m`, {
      body: configMap('x'),
      type: applyPatchType,
    });
    await ask(cluster, `POST ${configMaps}`, { body: configMap('y') });
    await ask(cluster, `DELETE ${configMaps}/x`, { token: 't' });
    await ask(cluster, `DELETE ${deployments}?labelSelector=a=b`);
    expect(events).toMatchObject([
      {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        stage: 'ResponseComplete',
        verb: 'patch',
        requestURI: `${configMaps}/x?fieldManager=m`,
        user: { username: 'kubernetes-admin' },
        objectRef: {
          resource: 'configmaps',
          namespace: 'default',
          name: 'x',
          apiVersion: 'v1',
        },
        responseStatus: { code: 201 },
      },
      { verb: 'create', objectRef: { name: 'y' } },
      {
        verb: 'delete',
        user: { username: 'alice' },
        responseStatus: { code: 403, reason: 'Forbidden' },
      },
      {
        verb: 'deletecollection',
        objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'default' },
      },
    ]);
  });

  test('has the code alone of a write that cannot be shown as asked for', async () => {
    const events: { responseStatus: object; annotations: object }[] = [];
    const cluster = await start({ controllers: 'paused', onAudit: (event) => events.push(event) });
    const { code } = await ask(cluster, `POST ${configMaps}`, {
      body: configMap('x'),
      headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' },
    });
    await ask(cluster, `DELETE ${configMaps}/x`, { token: 'unknown' });
    expect(code).toBe(406);
    expect(events).toMatchObject([
      { annotations: { 'authorization.k8s.io/decision': 'allow' } },
      {},
    ]);
    expect(events[0]?.responseStatus).toEqual({ metadata: {}, code: 406 });
    expect(events[1]?.annotations).toEqual({});
  });

  test('names controllers by their own identity', async () => {
    const events: { verb: string; user: { username: string }; objectRef: object }[] = [];
    const cluster = await start({ onAudit: (event) => events.push(event) });
    await ask(cluster, `POST ${deployments}`, { body: deployment('web') });
    await cluster.controllers.settled();
    expect(events.at(-1)).toMatchObject({
      verb: 'update',
      user: { username: 'system:serviceaccount:kube-system:deployment-controller' },
      objectRef: { resource: 'deployments', name: 'web', subresource: 'status' },
    });
  });
});
