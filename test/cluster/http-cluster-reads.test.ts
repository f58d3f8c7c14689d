import { describe, expect, it } from 'vitest';
import type { Cluster, Selection } from '../../shared/cluster/cluster.ts';
import { isExpired, isFinal, messageOf } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { type ApiReply, metadata, status } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';
import { clusterOf } from '../support/http-cluster.ts';

const foos = { group: 'example.com', version: 'v1alpha1', kind: 'Foo', plural: 'foos' };
const key = { namespace: 'team-a', name: 'web' };

const page = (names: readonly string[], token?: string) => ({
  body: {
    kind: 'FooList',
    metadata: token === undefined ? {} : { continue: token },
    items: names.map((name) => ({ metadata: metadata(name) })),
  },
});
const namesIn = async (cluster: Cluster, selection: Selection = {}) => {
  const names: string[] = [];
  const outcome = await cluster
    .list(foos, selection, ({ metadata }) => names.push(metadata.name))
    .catch((error: unknown) => error);
  return { names, outcome };
};

const selections: Record<string, { reason: string; given: Selection; want: [string, object] }> = {
  All: {
    reason: 'an empty selection lists the whole cluster',
    given: {},
    want: ['/apis/example.com/v1alpha1/foos', {}],
  },
  Namespace: {
    reason: 'a namespace is part of the path',
    given: { namespace: 'team-a' },
    want: ['/apis/example.com/v1alpha1/namespaces/team-a/foos', {}],
  },
  Name: {
    reason: 'a name is a field selector',
    given: { name: 'x.y' },
    want: ['/apis/example.com/v1alpha1/foos', { fieldSelector: 'metadata.name=x.y' }],
  },
  Labels: {
    reason: 'all labels have to match',
    given: { labels: { 'app.kubernetes.io/managed-by': 'me', a: 'b' } },
    want: [
      '/apis/example.com/v1alpha1/foos',
      { labelSelector: 'app.kubernetes.io/managed-by=me,a=b' },
    ],
  },
  Fields: {
    reason: 'all fields have to match',
    given: { namespace: 'a', fields: { 'involvedObject.uid': 'u', reason: 'R' } },
    want: [
      '/apis/example.com/v1alpha1/namespaces/a/foos',
      { fieldSelector: 'involvedObject.uid=u,reason=R' },
    ],
  },
};

describe('list', () => {
  it.each(casesOf(selections))('%s', async (_, { given, want: [path, query] }) => {
    const { cluster, api } = await clusterOf(() => page([]));
    await cluster.list(foos, given, () => {});
    const [request] = api.requests;
    expect([request?.path, request?.query]).toEqual([path, { limit: '500', ...query }]);
  });

  it('follows the continue token with the same query', async () => {
    const pages = [page(['a', 'b'], 'token/1='), page(['c'], 't2'), page(['d'])];
    const { cluster, api } = await clusterOf((_, number) => pages[number - 1] ?? 'drop');
    expect(await namesIn(cluster, { labels: { a: 'b' } })).toEqual({ names: ['a', 'b', 'c', 'd'] });
    const common = { limit: '500', labelSelector: 'a=b' };
    expect(api.requests.map(({ query }) => query)).toEqual([
      common,
      { ...common, continue: 'token/1=' },
      { ...common, continue: 't2' },
    ]);
  });

  it('adds kind and apiVersion to each item, which a list omits', async () => {
    const { cluster } = await clusterOf(() => page(['a']));
    const items: KubeObject[] = [];
    await cluster.list(foos, {}, (live) => items.push(live));
    expect(items).toEqual([
      { apiVersion: 'example.com/v1alpha1', kind: 'Foo', metadata: metadata('a') },
    ]);
  });

  it('C-10 fails if the token has expired, so that an incomplete list does not pass for complete', async () => {
    const { cluster, api } = await clusterOf((_, number) =>
      number === 1 ? page(['a'], 'old') : status(410, 'Expired'),
    );
    const { names, outcome } = await namesIn(cluster);
    expect(names).toEqual(['a']);
    expect(isExpired(outcome)).toBe(true);
    expect(api.requests.length).toBe(2);
  });

  it('C-10 repeats the request for a page if the connection was lost', async () => {
    const replies: ApiReply[] = [page(['a'], 't'), 'drop', page(['b'])];
    const { cluster } = await clusterOf((_, number) => replies[number - 1] ?? 'drop');
    expect(await namesIn(cluster)).toEqual({ names: ['a', 'b'] });
  });
});

/** Names that ValidatePathSegmentName of apimachinery refuses, with its messages. */
const unaddressable: Readonly<Record<string, string>> = {
  'payments/status': `Invalid value: "payments/status": may not contain '/'`,
  'a%2Fb': `Invalid value: "a%2Fb": may not contain '%'`,
  '.': `Invalid value: ".": may not be '.'`,
  '..': `Invalid value: "..": may not be '..'`,
  '../../b': `Invalid value: "../../b": may not contain '/'`,
  '': `Invalid value: "": may not be ''`,
};

describe('get', () => {
  it('reads one object', async () => {
    const live = { kind: 'Deployment', metadata: metadata('web') };
    const { cluster, api } = await clusterOf(() => ({ body: live }));
    expect(await cluster.get(deployment, key)).toEqual(live);
    expect(api.requests[0]?.path).toBe('/apis/apps/v1/namespaces/team-a/deployments/web');
  });

  it('C-7 is undefined for an object that is gone', async () => {
    const { cluster } = await clusterOf(() => status(404, 'NotFound'));
    expect(await cluster.get(service, key)).toBe(undefined);
    expect(await cluster.getMetadata(service, key)).toBe(undefined);
  });

  it('A-6 fails if the object cannot be read', async () => {
    const { cluster } = await clusterOf(() => status(403, 'Forbidden'));
    await expect(cluster.get(service, key)).rejects.toThrow(
      'cannot read Service team-a/web: Forbidden: it is Forbidden',
    );
  });

  it('reads only the metadata', async () => {
    const { cluster, api } = await clusterOf(() => ({ body: { metadata: metadata('web') } }));
    expect(await cluster.getMetadata(service, key)).toEqual(metadata('web'));
    expect(api.requests[0]?.headers.accept).toBe(
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    );
  });

  it('escapes names in a path', async () => {
    const { cluster, api } = await clusterOf(() => status(404, 'NotFound'));
    await cluster.get(service, { namespace: 'a', name: 'b?c#d' });
    expect(api.requests[0]?.path).toBe('/api/v1/namespaces/a/services/b%3Fc%23d');
  });

  it.each(Object.entries(unaddressable))(
    'sends nothing for an illegal name: %s',
    async (name, why) => {
      const { cluster, api } = await clusterOf(() => status(404, 'NotFound'));
      const key = { namespace: 'a', name };
      for (const attempt of [
        () => cluster.get(service, key),
        () => cluster.getMetadata(service, key),
        () => cluster.remove(service, key, { uid: 'u', resourceVersion: '1' }),
        () => cluster.patch(service, key, { resourceVersion: '1', operations: [], manager: 'm' }),
        () =>
          cluster.apply(
            service,
            { apiVersion: 'v1', kind: 'Service', metadata: key },
            { manager: 'm' },
          ),
      ]) {
        const error: unknown = await attempt().catch((refusal: unknown) => refusal);
        expect(error).toMatchObject({ reason: 'Invalid', code: 422 });
        expect(messageOf(error)).toContain(
          `Service ${JSON.stringify(name)} is invalid: metadata.name: ${why}`,
        );
        expect(isFinal(error)).toBe(true);
      }
      expect(api.requests).toEqual([]);
    },
  );
});
