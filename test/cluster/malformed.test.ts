import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError, messageOf, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { deployment as type } from '../../shared/kinds/child-types/apps.ts';
import { metadata } from '../support/api-endpoint.ts';
import { clusterOf } from '../support/http-cluster.ts';

const key = { namespace: 'a', name: 'web' };
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => error);

const notAList = 'it is not a list';

const lists: Readonly<Record<string, unknown>> = {
  Null: null,
  List: [],
  NoMetadata: { items: [] },
  MetadataText: { metadata: 'x', items: [] },
  NoItems: { metadata: {} },
  ItemsMap: { metadata: {}, items: { a: 1 } },
};

/** Each item, with the first field that it lacks. */
const items: Readonly<Record<string, { readonly item: unknown; readonly missing: string }>> = {
  Null: { item: null, missing: 'name' },
  Text: { item: 'x', missing: 'name' },
  NoMetadata: { item: {}, missing: 'name' },
  MetadataList: { item: { metadata: [] }, missing: 'name' },
  NoName: { item: { metadata: metadata('') }, missing: 'name' },
  NoUid: { item: { metadata: metadata('web', { uid: 7 }) }, missing: 'uid' },
  NoVersion: {
    item: { metadata: metadata('web', { resourceVersion: undefined }) },
    missing: 'resourceVersion',
  },
};

const malformed = (what: string, why: string): string =>
  `cannot ${what}: the response is malformed (${why}); does the cluster's address lead to an API server?`;

describe('a malformed response is one clear error', () => {
  it.each(Object.entries(lists))('for a list: %s', async (_, body) => {
    const { cluster } = await clusterOf(() => ({ body: JSON.stringify(body) }));
    const error = await failureOf(cluster.list(type, {}, () => undefined));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(messageOf(error)).toBe(malformed('list deployments.apps', notAList));
  });

  it.each(Object.entries(items))('for an item: %s', async (_, { item, missing }) => {
    const whole = { metadata: metadata('whole') };
    const { cluster } = await clusterOf(() => ({ body: { metadata: {}, items: [whole, item] } }));
    const names: string[] = [];
    const error = await failureOf(
      cluster.list(type, {}, ({ metadata: { name } }) => names.push(name)),
    );
    expect(messageOf(error)).toBe(
      malformed('list deployments.apps', `item 1 has no metadata.${missing}`),
    );
    expect(names).toEqual(['whole']);
  });

  const manifest = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: key };
  const patch = { resourceVersion: '1', operations: [], manager: 'm' };
  const preconditions = { uid: 'u', resourceVersion: '1' };
  const requests: Readonly<Record<string, (cluster: Cluster) => Promise<unknown>>> = {
    'read Deployment a/web': (cluster) => cluster.get(type, key),
    'read the metadata of Deployment a/web': (cluster) => cluster.getMetadata(type, key),
    'apply Deployment a/web': (cluster) => cluster.apply(type, manifest, { manager: 'm' }),
    'create Deployment a/web': (cluster) => cluster.create(type, manifest),
    'patch Deployment a/web': (cluster) => cluster.patch(type, key, patch),
    'delete Deployment a/web': (cluster) => cluster.remove(type, key, preconditions),
  };
  it.each(
    Object.entries(requests).flatMap(([what, ask]) =>
      Object.entries(items).map(([name, one]) => [what, name, { ...one, ask }] as const),
    ),
  )('%s: %s', async (what, _, { item, missing, ask }) => {
    const { cluster } = await clusterOf(() => ({ body: JSON.stringify(item) }));
    const error = await failureOf(ask(cluster));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(messageOf(error)).toBe(malformed(what, `it has no metadata.${missing}`));
  });

  it.each(Object.entries(requests))('%s: with another name', async (what, ask) => {
    const { cluster } = await clusterOf(() => ({ body: { metadata: metadata('other') } }));
    const error = await failureOf(ask(cluster));
    expect(messageOf(error)).toBe(malformed(what, 'it is another object'));
  });
});

describe('a refusal with null for an absent field, or with a field of a wrong type', () => {
  it.each([
    { message: null },
    { details: null },
    { details: { name: 'web', causes: null } },
    { details: { name: 'web', causes: [null] } },
    { message: 7 },
    { details: 'web' },
    { details: { name: ['web'], causes: 5 } },
  ])('is a refusal with its reason: %j', async (over) => {
    const body = { kind: 'Status', reason: 'Invalid', message: 'no', ...over };
    const { cluster } = await clusterOf(() => ({ code: 422, body }));
    const error = await failureOf(cluster.get(type, key));
    expect(error).toBeInstanceOf(KubeError);
    expect(messageOf(error)).toMatch(/^cannot read Deployment a\/web: Invalid/);
  });
});
