import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import {
  isConflict,
  KubeError,
  messageOf,
  UnreachableError,
} from '../../shared/cluster/cluster-errors.ts';
import { deployment as type } from '../../shared/kinds/child-types/apps.ts';
import { metadata } from '../support/api-endpoint.ts';
import { clusterOf } from '../support/http-cluster.ts';

const key = { namespace: 'a', name: 'web' };
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => error);

const lists: Readonly<Record<string, { readonly body: unknown; readonly why: string }>> = {
  Null: { body: null, why: 'it is not an object' },
  List: { body: [], why: 'it is not an object' },
  NoMetadata: { body: { items: [] }, why: 'its metadata is not an object' },
  MetadataText: { body: { metadata: 'x', items: [] }, why: 'its metadata is not an object' },
  Token: {
    body: { metadata: { continue: {} }, items: [] },
    why: 'its metadata.continue is not a string',
  },
  NoItems: { body: { metadata: {} }, why: 'its items are not a list' },
  ItemsMap: { body: { metadata: {}, items: { a: 1 } }, why: 'its items are not a list' },
};

const items: Readonly<Record<string, { readonly item: unknown; readonly why: string }>> = {
  Null: { item: null, why: 'it is not an object' },
  Text: { item: 'x', why: 'it is not an object' },
  NoMetadata: { item: {}, why: 'its metadata is not an object' },
  MetadataList: { item: { metadata: [] }, why: 'its metadata is not an object' },
  NoName: {
    item: { metadata: metadata('') },
    why: 'its metadata.name is not a string, or is empty',
  },
  NoUid: {
    item: { metadata: metadata('a', { uid: 7 }) },
    why: 'its metadata.uid is not a string, or is empty',
  },
  NoVersion: {
    item: { metadata: metadata('a', { resourceVersion: undefined }) },
    why: 'its metadata.resourceVersion is not a string, or is empty',
  },
  Namespace: {
    item: { metadata: metadata('a', { namespace: {} }) },
    why: 'its metadata.namespace is not a string',
  },
};

const malformed = (what: string, why: string): string =>
  `cannot ${what}: the response is malformed (${why}); does the cluster's address lead to an API server?`;

describe('a malformed response is one clear error', () => {
  it.each(Object.entries(lists))('for a list: %s', async (_, { body, why }) => {
    const { cluster } = await clusterOf(() => ({ body: JSON.stringify(body) }));
    const error = await failureOf(cluster.list(type, {}, () => undefined));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(messageOf(error)).toBe(malformed('list deployments.apps', why));
  });

  it.each(Object.entries(items))('for an item: %s', async (_, { item, why }) => {
    const whole = { metadata: metadata('whole') };
    const { cluster } = await clusterOf(() => ({ body: { metadata: {}, items: [whole, item] } }));
    const names: string[] = [];
    const error = await failureOf(
      cluster.list(type, {}, ({ metadata: { name } }) => names.push(name)),
    );
    expect(messageOf(error)).toBe(malformed('list deployments.apps', `item 1: ${why}`));
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
      Object.values(items).map(({ item, why }) => [what, why, { item, ask }] as const),
    ),
  )('%s: %s', async (what, why, { item, ask }) => {
    const { cluster } = await clusterOf(() => ({ body: JSON.stringify(item) }));
    const error = await failureOf(ask(cluster));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(messageOf(error)).toBe(malformed(what, why));
  });

  it.each(Object.entries(requests))('%s: with another name', async (what, ask) => {
    const { cluster } = await clusterOf(() => ({ body: { metadata: metadata('other') } }));
    const error = await failureOf(ask(cluster));
    expect(messageOf(error)).toBe(malformed(what, 'its metadata.name is "other", not "web"'));
  });
});

describe('a malformed error response', () => {
  it.each([
    { details: { causes: 5 } },
    { details: { causes: [null, 'x', { reason: 7, field: {}, message: [] }] } },
    { details: 'x' },
    { reason: { a: 1 }, message: 5 },
    { message: ['x'] },
    { details: { retryAfterSeconds: 'soon' } },
  ])('is classified by its status code: %j', async (over) => {
    const body = { kind: 'Status', reason: 'Conflict', message: 'no', ...over };
    const { cluster } = await clusterOf(() => ({ code: 409, body }));
    const error = await failureOf(cluster.get(type, key));
    expect(error).toBeInstanceOf(KubeError);
    expect(isConflict(error)).toBe(typeof body.reason === 'string');
    expect(messageOf(error)).toContain('cannot read Deployment a/web: ');
    const { causes, retryAfter } = error as KubeError;
    expect(retryAfter).toBe(undefined);
    for (const { reason = '', field = '', message = '' } of causes)
      expect([typeof reason, typeof field, typeof message]).toEqual(Array(3).fill('string'));
  });
});
