import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchChanges } from '../../infra/dashboard/watch.ts';
import { configMap } from '../../shared/kinds/child-types/core.ts';
import { type ApiReply, type ApiRequest, startApiEndpoint } from '../support/api-endpoint.ts';

const labels = { team: 'a' };

interface Given {
  readonly url: string;
  readonly authorization?: string;
}

/** Starts a watch that is stopped at the end of the test, and collects its reports. */
function watch({ url, authorization }: Given) {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  let changes = 0;
  let changed = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<number>();
  const ended = watchChanges(
    { server: url, access: async () => ({ tls: {}, authorization: authorization }) },
    { type: configMap, selection: { namespace: 'default', labels } },
    {
      onChange() {
        changes++;
        changed.resolve();
        changed = Promise.withResolvers();
      },
      onRefused: refused.resolve,
      signal: end.signal,
      firstDelayMs: 1,
    },
  );
  return {
    ended,
    end,
    refused: refused.promise,
    async changes(least: number) {
      while (changes < least) await changed.promise;
      return changes;
    },
  };
}

const event = (type: string, resourceVersion: string): string =>
  `${JSON.stringify({ type, object: { metadata: { name: 'x', resourceVersion } } })}\n`;

/** Starts an API server that responds to the nth watch with the nth reply, and later ones never. */
async function watchesOf(...replies: readonly ApiReply[]) {
  const last = Promise.withResolvers<readonly ApiRequest[]>();
  const requests: ApiRequest[] = [];
  const { url } = await startApiEndpoint(async (request, number) => {
    requests.push(request);
    const reply = replies[number - 1];
    if (reply !== undefined) return reply;
    last.resolve(requests);
    return new Promise(() => undefined);
  });
  return { url, requests: last.promise };
}

describe('a watch of changes', () => {
  it('reports the selected objects of a cluster, then each of their changes', async () => {
    const cluster = await startLocalCluster({ controllers: 'paused' });
    onTestFinished(() => cluster.stop());
    const path = `${cluster.url}/api/v1/namespaces/default/configmaps`;
    const create = (name: string, own: object) =>
      fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ metadata: { name, labels: own } }),
      });
    await create('first', labels);
    const { changes, end, ended } = watch(cluster);
    const before = await changes(1);
    await create('other', {});
    await create('second', labels);
    expect(await changes(before + 1)).toBe(before + 1);
    end.abort();
    await ended;
  });

  it('continues from its last resourceVersion, and requests metadata only', async () => {
    const { url, requests } = await watchesOf(
      { body: event('ADDED', '7') + event('BOOKMARK', '9') },
      { body: event('MODIFIED', '12') },
    );
    const { changes } = watch({ url, authorization: 'Bearer x' });
    const seen = await requests;
    expect(seen.map(({ query }) => query.resourceVersion)).toEqual([undefined, '9', '12']);
    expect(seen[0]).toMatchObject({
      path: '/api/v1/namespaces/default/configmaps',
      query: { watch: 'true', allowWatchBookmarks: 'true', labelSelector: 'team=a' },
      headers: {
        accept: expect.stringContaining('PartialObjectMetadata'),
        authorization: 'Bearer x',
      },
    });
    expect(await changes(2), 'a bookmark is not a change').toBe(2);
  });

  const restarts: Record<string, ApiReply> = {
    'an ERROR event for an expired resourceVersion': { body: event('ERROR', '') },
    'a 410': { code: 410, body: { kind: 'Status', code: 410 } },
    'a lost connection': 'drop',
    'a response that is not JSON': { body: 'oops\n' },
  };
  it.each(Object.entries(restarts))('starts again after %s', async (_, reply) => {
    const { url, requests } = await watchesOf({ body: event('ADDED', '7') }, reply);
    watch({ url });
    const versions = (await requests).map(({ query }) => query.resourceVersion);
    expect(versions).toEqual([undefined, '7', undefined]);
  });

  it.each([403, 404, 405])('ends if the server returns %i', async (code) => {
    const { url } = await watchesOf({ code, body: {} });
    const { refused, ended } = watch({ url });
    expect(await refused).toBe(code);
    await ended;
  });

  it('renews credentials that have expired', async () => {
    const { url, requests } = await watchesOf({ code: 401, body: {} });
    const { changes: _, ...watching } = watch({ url });
    expect(await requests).toHaveLength(2);
    watching.end.abort();
    await watching.ended;
  });

  it('sends no credentials unencrypted', async () => {
    const { refused } = watch({ url: 'http://192.0.2.1:1', authorization: 'Bearer secret' });
    expect(await refused).toBe(403);
  });
});
