import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { isConflict } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { Manifest } from '../../shared/kubernetes.ts';
import { type ApiReply, type ApiRequest, metadata, status } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';
import { clusterOf } from '../support/http-cluster.ts';

const key = { namespace: 'team-a', name: 'web' };
const manifest: Manifest = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { ...key, resourceVersion: '1' },
};

interface Write {
  readonly reason: string;
  readonly given: (cluster: Cluster) => Promise<unknown>;
  readonly want: Omit<ApiRequest, 'headers'> & { readonly type: string };
}

const item = '/apis/apps/v1/namespaces/team-a/deployments/web';
const live = { kind: 'Deployment', metadata: metadata('web') };
const operations = [{ op: 'test', path: '/metadata/resourceVersion', value: '7' }];
const preconditions = { uid: 'u', resourceVersion: '7' };

const writes: Record<string, Write> = {
  Apply: {
    reason: 'a child is applied server-side, with force, by one manager',
    given: (cluster) => cluster.apply(deployment, manifest, { manager: 'me' }),
    want: {
      method: 'PATCH',
      path: item,
      query: { fieldManager: 'me', force: 'true' },
      type: 'application/apply-patch+yaml',
      body: manifest,
    },
  },
  'C-8 ApplyStatus': {
    reason: 'the status is a subresource',
    given: (cluster) =>
      cluster.apply(deployment, manifest, { manager: 'me', subresource: 'status' }),
    want: {
      method: 'PATCH',
      path: `${item}/status`,
      query: { fieldManager: 'me', force: 'true' },
      type: 'application/apply-patch+yaml',
      body: manifest,
    },
  },
  Create: {
    reason: 'only Events are created by POST to the collection',
    given: (cluster) => cluster.create(service, manifest),
    want: {
      method: 'POST',
      path: '/api/v1/namespaces/team-a/services',
      query: {},
      type: 'application/json',
      body: manifest,
    },
  },
  Patch: {
    reason: 'a JSON patch tests the resourceVersion that was read',
    given: (cluster) =>
      cluster.patch(deployment, key, { resourceVersion: '7', operations, manager: 'me' }),
    want: {
      method: 'PATCH',
      path: item,
      query: { fieldManager: 'me' },
      type: 'application/json-patch+json',
      body: [{ op: 'test', path: '/metadata/resourceVersion', value: '7' }, ...operations],
    },
  },
  'C-5 Remove': {
    reason: 'preconditions name the uid and the resourceVersion that were read',
    given: (cluster) => cluster.remove(deployment, key, preconditions),
    want: {
      method: 'DELETE',
      path: item,
      query: {},
      type: 'application/json',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions,
        propagationPolicy: 'Background',
      },
    },
  },
};

describe('a write', () => {
  it.each(casesOf(writes))('%s', async (_, { given, want }) => {
    const { cluster, api } = await clusterOf(() => ({ body: live }));
    await given(cluster);
    const seen = api.requests.map(({ headers, ...rest }) => ({
      ...rest,
      type: headers['content-type'],
    }));
    expect(seen).toEqual([want]);
  });

  it('returns the stored object', async () => {
    const { cluster } = await clusterOf(() => ({ code: 201, body: live }));
    expect(await cluster.apply(deployment, manifest, { manager: 'me' })).toEqual(live);
  });

  it.each(Object.entries(writes))(
    'C-10 %s returns a conflict to the caller',
    async (_, { given }) => {
      const { cluster, api } = await clusterOf(() => status(409, 'Conflict'));
      const error = await given(cluster).catch((thrown: unknown) => thrown);
      expect(isConflict(error)).toBe(true);
      expect(api.requests.length).toBe(1);
    },
  );

  it('C-10 is sent again after a lost response', async () => {
    const { cluster, api } = await clusterOf((_, number) =>
      number === 1 ? 'drop' : { body: live },
    );
    expect(await cluster.apply(deployment, manifest, { manager: 'me' })).toEqual(live);
    expect(api.requests.map(({ body }) => body)).toEqual([manifest, manifest]);
  });
});

const held = { kind: 'Deployment', metadata: metadata('web', { deletionTimestamp: 'x' }) };

const removals: Record<string, { reason: string; given: ApiReply; want: unknown }> = {
  Gone: {
    reason: 'the response of a completed deletion is a Status',
    given: { body: { kind: 'Status', status: 'Success' } },
    want: undefined,
  },
  'C-13 Held': {
    reason: 'a finalizer delays the deletion',
    given: { body: held },
    want: held,
  },
  'C-5 GoneBefore': {
    reason: 'another writer was faster',
    given: status(404, 'NotFound'),
    want: undefined,
  },
};

describe('remove', () => {
  it.each(casesOf(removals))('%s', async (_, { given, want }) => {
    const { cluster } = await clusterOf(() => given);
    expect(await cluster.remove(deployment, key, preconditions)).toEqual(want);
  });
});

const version = (resourceVersion: string): ApiReply => ({
  body: { metadata: metadata('web', { resourceVersion }) },
});

const refusals: Record<string, { reason: string; refusal: ApiReply; now: ApiReply; want: string }> =
  {
    Moved: {
      reason: 'the test of the resourceVersion failed',
      refusal: status(422, 'Invalid'),
      now: version('8'),
      want: 'Conflict',
    },
    Gone: {
      reason: 'the object was deleted in the meantime',
      refusal: status(404, 'NotFound'),
      now: status(404, 'NotFound'),
      want: 'Conflict',
    },
    Invalid: {
      reason: 'the object has not changed, so the operations themselves are refused',
      refusal: status(422, 'Invalid'),
      now: version('7'),
      want: 'Invalid',
    },
  };

describe('a refused patch', () => {
  it.each(casesOf(refusals))('C-10 %s', async (_, { refusal, now, want }) => {
    const { cluster } = await clusterOf(({ method }) => (method === 'PATCH' ? refusal : now));
    const patch = { resourceVersion: '7', operations, manager: 'me' };
    await expect(cluster.patch(deployment, key, patch)).rejects.toMatchObject({
      reason: want,
    });
  });

  it('C-10 after a lost response is a conflict marked as such', async () => {
    const { cluster } = await clusterOf(({ method }, number) => {
      if (method !== 'PATCH') return version('8');
      return number === 1 ? 'drop' : status(422, 'Invalid');
    });
    const patch = { resourceVersion: '7', operations, manager: 'me' };
    await expect(cluster.patch(deployment, key, patch)).rejects.toMatchObject({
      reason: 'Conflict',
      lostResponse: true,
    });
  });
});
