import { afterEach, describe, expect, test, vi } from 'vitest';
import { type LocalCluster, startLocalCluster } from '../cluster.ts';
import {
  applyPatchType,
  ask,
  configMap,
  configMaps,
  exists,
  mergePatchType,
} from './local-client.ts';

let cluster: LocalCluster;
const begin = async (): Promise<void> => {
  cluster = await startLocalCluster({ controllers: 'paused' });
};
afterEach(() => cluster.stop());

const create = (name: string) => ask(cluster, `POST ${configMaps}`, { body: configMap(name) });

describe('faults', () => {
  test.each([
    { reason: 'a lost race', code: 409, want: { reason: 'Conflict' } },
    { reason: 'a list too old', code: 410, want: { reason: 'Expired' } },
    { reason: 'a server in trouble', code: 500, want: { message: /etcdserver/ } },
    { reason: 'a server away', code: 503, want: { reason: 'ServiceUnavailable' } },
    { reason: 'a server too slow', code: 504, want: { reason: 'Timeout' } },
  ] as const)('answers $code for $reason, and does nothing', async ({ code, want }) => {
    await begin();
    cluster.faults.add({ verb: 'create', effect: { kind: 'status', code } });
    const { code: got, body } = await create('x');
    expect(got).toBe(code);
    if ('reason' in want) expect(body.reason).toBe(want.reason);
    else expect(body.message).toMatch(want.message);
    expect(await exists(cluster, `${configMaps}/x`)).toBe(false);
  });

  test('answers 429 in plain text, with the time to wait', async () => {
    await begin();
    cluster.faults.add({ effect: { kind: 'status', code: 429, retryAfter: 7 } });
    const { code, text, headers } = await create('x');
    expect({ code, text, wait: headers.get('retry-after') }).toEqual({
      code: 429,
      text: 'Too many requests, please try again later.',
      wait: '7',
    });
  });

  test.each([
    { reason: 'before anything happened', when: 'before', want: false },
    { reason: 'after the write was stored', when: 'after', want: true },
  ] as const)('drops the connection $reason', async ({ when, want }) => {
    await begin();
    cluster.faults.add({ verb: 'create', times: 1, effect: { kind: 'drop', when } });
    await expect(create('x')).rejects.toThrow();
    expect(await exists(cluster, `${configMaps}/x`)).toBe(want);
  });

  test('meets the nth matching request only, and those in a row from there', async () => {
    await begin();
    const effect = { kind: 'status', code: 500 } as const;
    cluster.faults.add({ verb: 'create', resource: 'configmaps', nth: 2, times: 2, effect });
    const codes = [];
    for (const name of ['a', 'b', 'c', 'd']) codes.push((await create(name)).code);
    expect(codes).toEqual([201, 500, 500, 201]);
  });

  test('is removed by the function that add returned, or with all others', async () => {
    await begin();
    const effect = { kind: 'status', code: 503 } as const;
    const takeBack = cluster.faults.add({ effect });
    expect((await create('a')).code).toBe(503);
    takeBack();
    expect((await create('a')).code).toBe(201);
    cluster.faults.add({ effect });
    cluster.undisturb();
    expect((await create('b')).code).toBe(201);
  });

  test('a delayed request is given up if its client has gone', async () => {
    await begin();
    cluster.faults.add({ verb: 'create', effect: { kind: 'delay', ms: 200 } });
    const gone = new AbortController();
    cluster.intercept(({ verb }) => {
      if (verb === 'create') setImmediate(() => gone.abort());
    });
    await expect(
      fetch(`${cluster.url}${configMaps}`, {
        method: 'POST',
        body: JSON.stringify(configMap('x')),
        headers: { 'content-type': 'application/json' },
        signal: gone.signal,
      }),
    ).rejects.toThrow();
    cluster.undisturb();
    const first = () => cluster.requests.list().find(({ verb }) => verb === 'create');
    await vi.waitFor(() => expect(first()).toMatchObject({ status: 0 }), 5_000);
    expect(await exists(cluster, `${configMaps}/x`)).toBe(false);
  });

  test('a delayed answer does not outlive the server', async () => {
    await begin();
    cluster.faults.add({ effect: { kind: 'delay', ms: 60_000 } });
    const asked = new Promise<void>((resolve) => {
      cluster.intercept(() => resolve());
    });
    const slow = expect(create('x')).rejects.toThrow();
    await asked;
    await cluster.stop();
    await slow;
  });
});

describe('an interceptor', () => {
  test('writes between a read and a write', async () => {
    await begin();
    const { body } = await create('x');
    const takeBack = cluster.intercept(async ({ verb, resource }) => {
      if (verb !== 'patch' || resource !== 'configmaps') return;
      takeBack();
      await ask(cluster, `PATCH ${configMaps}/x`, {
        body: { data: { by: 'other' } },
        type: mergePatchType,
      });
    });
    const { uid, resourceVersion } = body.metadata;
    const { code } = await ask(cluster, `PATCH ${configMaps}/x?fieldManager=m&force=true`, {
      body: configMap('x', { uid, resourceVersion, labels: { by: 'us' } }),
      type: applyPatchType,
    });
    expect(code).toBe(409);
    const after = await ask(cluster, `GET ${configMaps}/x`);
    expect(after.body).toMatchObject({ data: { by: 'other' } });
    expect(after.body.metadata.labels).toBeUndefined();
  });
});

describe('an admission webhook', () => {
  const send = (labels: object) =>
    ask(cluster, `PATCH ${configMaps}/x?fieldManager=m&force=true`, {
      body: { ...configMap('x', { labels }), data: { text: 'ours' } },
      type: applyPatchType,
    });

  test('changes what is stored, under the managedFields of the writer', async () => {
    await begin();
    const remove = cluster.admit(({ resource, object }) => {
      if (resource === 'configmaps') object.data = { text: 'changed', added: 'by admission' };
      return undefined;
    });
    const { body } = await send({});
    expect(body.data).toEqual({ text: 'changed', added: 'by admission' });
    expect(body.metadata.managedFields[0].fieldsV1['f:data']).toEqual({ 'f:text': {} });
    remove();
    expect((await send({})).body.data).toEqual({ text: 'ours', added: 'by admission' });
  });

  test('refuses creates and updates until it is removed', async () => {
    await begin();
    const refuse = () =>
      cluster.admit(({ resource }) => (resource === 'configmaps' ? 'no' : undefined));
    refuse();
    expect(await send({})).toMatchObject({
      code: 403,
      body: { message: 'admission webhook "webhook.example.org" denied the request: no' },
    });
    cluster.undisturb();
    expect((await send({})).code).toBe(201);
    const remove = refuse();
    expect((await send({ a: 'b' })).code).toBe(403);
    remove();
    expect((await send({ a: 'b' })).code).toBe(200);
  });
});

describe('compaction', () => {
  test('expires continue tokens, and offers one that continues at the current version', async () => {
    await begin();
    for (const name of ['a', 'b', 'c']) await create(name);
    const first = await ask(cluster, `GET ${configMaps}?limit=2`);
    await create('d');
    cluster.compact();
    await create('e');
    const next = encodeURIComponent(first.body.metadata.continue);
    const expired = await ask(cluster, `GET ${configMaps}?limit=2&continue=${next}`);
    expect(expired).toMatchObject({ code: 410, body: { reason: 'Expired' } });
    const inconsistent = encodeURIComponent(expired.body.metadata.continue);
    const rest = await ask(cluster, `GET ${configMaps}?continue=${inconsistent}`);
    expect(
      rest.body.items.map((item: { metadata: { name: string } }) => item.metadata.name),
    ).toEqual(['c', 'd', 'e']);
  });

  test('ends a watch from before it with one error', async () => {
    await begin();
    const { body } = await create('a');
    await create('b');
    cluster.compact();
    const { text } = await ask(
      cluster,
      `GET ${configMaps}?watch=true&resourceVersion=${body.metadata.resourceVersion}`,
    );
    expect(JSON.parse(text)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });
});

describe('freezing', () => {
  test('holds watches back until released, then sends all in order', async () => {
    await begin();
    const watch = await fetch(`${cluster.url}${configMaps}?watch=true`);
    const events = watch.body?.pipeThrough(new TextDecoderStream()).getReader();
    await create('before');
    expect((await events?.read())?.value).toContain('"name":"before"');

    const thaw = cluster.freeze();
    for (const name of ['a', 'b']) await create(name);
    expect(await exists(cluster, `${configMaps}/b`)).toBe(true);
    const next = events?.read();
    expect(await Promise.race([next, ask(cluster, `GET ${configMaps}/a`)])).toHaveProperty('code');

    thaw();
    let received = (await next)?.value ?? '';
    while (!received.includes('"name":"b"')) received += (await events?.read())?.value ?? '';
    expect([...received.matchAll(/"object":\{.*?"name":"(\w+)"/g)].map(([, name]) => name)).toEqual(
      ['a', 'b'],
    );
  });
});
