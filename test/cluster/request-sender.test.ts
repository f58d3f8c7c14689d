import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { DeadlineError, isFinal, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { connect } from '../../shared/cluster/http/connection.ts';
import { openCluster } from '../../shared/cluster/http-cluster.ts';
import { configMap, service } from '../../shared/kinds/child-types/core.ts';
import { metadata, status } from '../support/api-endpoint.ts';
import { clusterOf } from '../support/http-cluster.ts';
import { stopTheClock } from './access.ts';

const foos = { group: 'example.com', version: 'v1alpha1', kind: 'Foo', plural: 'foos' };
const key = { namespace: 'team-a', name: 'web' };
const live = { metadata: metadata('web') };
const web = { apiVersion: 'v1', kind: 'Service', metadata: key };

const unexplained = (message: string) => ({
  code: 500,
  body: { kind: 'Status', message, code: 500 },
});

describe('the request sender of a run', () => {
  it('counts requests and bytes by resource, failed attempts included', async () => {
    const packed = gzipSync('{"items":[],"metadata":{}}');
    const { cluster } = await clusterOf(({ path }, number) => {
      if (path.endsWith('/foos')) {
        return { body: packed, headers: { 'content-encoding': 'gzip' } };
      }
      return number === 1 ? 'drop' : { body: live };
    });
    await cluster.get(service, key);
    await cluster.list(foos, {}, () => {});
    await cluster.list(foos, {}, () => {});
    expect(cluster.traffic).toEqual({
      services: { requests: 2, bytes: JSON.stringify(live).length },
      'foos.example.com': { requests: 2, bytes: 2 * packed.length },
    });
  });

  it('sends nothing once its deadline has passed', async () => {
    const { cluster, api } = await clusterOf(() => ({ body: {} }), { seconds: -1 });
    const error = await cluster.get(service, key).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DeadlineError);
    expect((error as Error).message).toBe(
      "cannot read Service team-a/web: the run's deadline has passed",
    );
    expect(api.requests).toEqual([]);
    expect(cluster.traffic).toEqual({});
  });

  it('abandons open requests at its deadline, and does not send waiting ones', async () => {
    const begun = Date.now();
    const { cluster, api } = await clusterOf(() => new Promise(() => {}), {
      seconds: 0.3,
      concurrency: 12,
    });
    const reads = Array.from({ length: 12 }, () => cluster.get(service, key));
    const errors = await Promise.all(reads.map((read) => read.catch((error: unknown) => error)));
    expect(Date.now() - begun).toBeLessThan(20_000);
    expect(new Set(errors.map((error) => (error as Error).message))).toEqual(
      new Set(["cannot read Service team-a/web: no response before the run's deadline"]),
    );
    expect(errors.every((error) => error instanceof UnreachableError)).toBe(true);
    expect(api.requests.length).toBe(8);
  });

  it('ends at its deadline even if credentials never arrive', async () => {
    const begun = Date.now();
    const access = () => new Promise<never>(() => {});
    const connection = connect({ server: 'http://127.0.0.1:1', access });
    onTestFinished(connection.close);
    const cluster = openCluster(connection, { concurrency: 1, deadline: begun + 300 });
    await expect(cluster.get(service, key)).rejects.toThrow(
      new UnreachableError("cannot read Service team-a/web: no response before the run's deadline"),
    );
    expect(Date.now() - begun).toBeLessThan(20_000);
  });

  /**
   * Returns how many of ten requests are in flight at once. Responses wait until there are `expected`, and
   * then long enough for more requests to appear.
   */
  const widthOf = async (concurrency: number, expected: number) => {
    let most = 0;
    let toCome = 10;
    let waiting: (() => void)[] = [];
    const arrive = (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        most = Math.max(most, waiting.length);
        toCome--;
        if (waiting.length === expected || toCome === 0) void release();
      });
    const release = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      const requests = waiting;
      waiting = [];
      for (const response of requests) response();
    };
    const { cluster } = await clusterOf(
      async (_, number) => {
        if (number > 1) await arrive();
        return { body: live };
      },
      { concurrency },
    );
    await cluster.get(service, key);
    await Promise.all(Array.from({ length: 10 }, () => cluster.get(service, key)));
    return most;
  };

  it('sends at most as many concurrent requests as its limit', async () => {
    expect(await widthOf(3, 3)).toBe(3);
  });

  it('C-10 repeats the first forbidden request of a verb and type, and no later one', async () => {
    const status = { reason: 'Forbidden', message: 'foos is forbidden: User "r" cannot get' };
    const { cluster, api } = await clusterOf(() => ({
      code: 403,
      body: { kind: 'Status', ...status },
    }));
    for (let read = 0; read < 5; read++)
      await expect(cluster.get(foos, key)).rejects.toMatchObject({ code: 403 });
    expect(api.requests.length).toBe(6);
    await expect(cluster.get(foos, { ...key, namespace: 'team-b' })).rejects.toThrow();
    expect(api.requests.length).toBe(7);
  });

  const refusal = {
    code: 403,
    body: {
      kind: 'Status',
      reason: 'Forbidden',
      message: 'it is forbidden: User "r" cannot do this',
    },
  };
  const statusOf = (name: string) => ({
    ...live,
    apiVersion: 'v1',
    kind: 'Foo',
    metadata: metadata(name),
  });

  it('C-10 repeats a denied request of a subresource once for all objects, whatever their names', async () => {
    const { cluster, api } = await clusterOf(() => refusal);
    const as = { manager: 'm', subresource: 'status' } as const;
    for (const name of ['a', 'b', foos.plural])
      await expect(cluster.apply(foos, statusOf(name), as)).rejects.toMatchObject({ code: 403 });
    expect(api.requests.length).toBe(4);
  });

  it('C-10 does not take a denied list for a denied list of another type, or a denied write', async () => {
    const { cluster, api } = await clusterOf(() => refusal);
    const denied = async (act: () => Promise<unknown>) => {
      const before = api.requests.length;
      await expect(act()).rejects.toMatchObject({ code: 403 });
      return api.requests.length - before;
    };
    const selection = { namespace: 'team-a' };
    expect(await denied(() => cluster.list(service, selection, () => {}))).toBe(2);
    expect(await denied(() => cluster.list(configMap, selection, () => {}))).toBe(2);
    const as = { manager: 'm' };
    expect(await denied(() => cluster.apply(service, web, as))).toBe(2);
    expect(await denied(() => cluster.list(service, selection, () => {}))).toBe(1);
  });

  it('C-10 repeats a denied request although there was no time to repeat an earlier one', async () => {
    const { cluster } = await clusterOf((_, number) => (number <= 2 ? refusal : { body: live }));
    await expect(cluster.withTimeout(500).get(foos, key)).rejects.toMatchObject({ code: 403 });
    expect(await cluster.get(foos, key)).toEqual(live);
  });

  it.each([
    {
      name: 'a write that fails three times in the same way is not repeated',
      writes: ['a', 'a', 'a'],
      want: { writes: 3, reads: 1, isPermanent: true },
    },
    {
      name: 'a write that fails three times in the same way, with another failure in between, is not repeated',
      writes: ['a', 'b', 'a', 'b', 'a'],
      want: { writes: 5, reads: 1, isPermanent: true },
    },
    {
      name: 'a write that fails in another way each time is repeated',
      writes: ['a', 'b', 'c', 'd', 'e'],
      want: { writes: 5, reads: 0, isPermanent: false },
    },
    {
      name: 'a write that fails while its object does not exist is not repeated',
      writes: ['a', 'a', 'a'],
      read: status(404, 'NotFound'),
      want: { writes: 3, reads: 1, isPermanent: true },
    },
    {
      name: 'a write that fails while etcd is down is repeated',
      writes: ['a', 'a', 'a', 'a', 'a'],
      read: unexplained('a'),
      want: { writes: 5, reads: 1, isPermanent: false },
    },
  ])('C-10 $name', async ({ writes, read = { body: live }, want }) => {
    let sent = 0;
    const { cluster, api } = await clusterOf(({ method }) =>
      method === 'GET' ? read : unexplained(writes[sent++] ?? ''),
    );
    const write = cluster.apply(service, web, { manager: 'us', subresource: 'status' });
    const error = await write.catch((thrown: unknown) => thrown);
    const reads = api.requests.filter(({ method }) => method === 'GET');
    expect({ writes: sent, reads: reads.length, isPermanent: isFinal(error) }).toEqual(want);
    for (const { path } of reads) expect(path).toBe('/api/v1/namespaces/team-a/services/web');
  });

  it.each([
    ['a read', undefined, (cluster: Cluster) => cluster.get(service, key)],
    [
      'a write whose webhook fails',
      'InternalError',
      (cluster: Cluster) => cluster.apply(service, web, { manager: 'us' }),
    ],
  ])('C-10 repeats %s although it fails in the same way', async (_, reason, act) => {
    const { cluster, api } = await clusterOf(() => ({
      code: 500,
      body: { kind: 'Status', message: 'no', code: 500, ...(reason && { reason }) },
    }));
    const error = await act(cluster).catch((thrown: unknown) => thrown);
    expect([api.requests.length, isFinal(error)]).toEqual([5, false]);
  });

  const webhook = 'failed calling webhook "slow.example.com": context deadline exceeded';
  it.each([
    ['refusal', { message: 'duplicate nodePort' }],
    ['slow webhook', { message: webhook, reason: 'InternalError' }],
  ])(
    'C-10 throws the %s of a write if the deadline interrupts its second attempt',
    async (_, failure) => {
      const body = { kind: 'Status', code: 500, ...failure };
      const { cluster } = await clusterOf((__, number) =>
        number === 1 ? { code: 500, body } : new Promise(() => {}),
      );
      const write = cluster.withTimeout(700).apply(service, web, { manager: 'us' });
      await expect(write).rejects.toMatchObject({
        code: 500,
        message: expect.stringContaining(failure.message),
        lostResponse: true,
      });
    },
  );

  it('C-10 throws the earlier refusal of a write even if the timer fires before the deadline', async () => {
    const { advance } = stopTheClock();
    const { cluster } = await clusterOf((_, number) => {
      if (number === 1) return status(500, 'duplicate nodePort');
      advance(0.35);
      return new Promise(() => {});
    });
    // The timer takes 0.4 s, but the clock then shows 0.35 s.
    const write = cluster.withTimeout(400).apply(service, web, { manager: 'us' });
    await expect(write).rejects.toMatchObject({ code: 500, lostResponse: true });
  });

  it('C-10 throws the last failure of a write if its deadline has not passed', async () => {
    const { cluster } = await clusterOf((_, number) => (number === 1 ? status(503, 'x') : 'drop'));
    const write = cluster.apply(service, web, { manager: 'us' });
    await expect(write).rejects.toBeInstanceOf(UnreachableError);
  });
});
