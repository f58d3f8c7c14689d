import { afterEach, describe, expect, test, vi } from 'vitest';
import { type LocalCluster, type LocalClusterOptions, startLocalCluster } from '../../cluster.ts';
import { applyPatchType, ask, deployment, deployments, mergePatchType } from '../local-client.ts';

let cluster: LocalCluster;
const begin = async (options: LocalClusterOptions = {}): Promise<void> => {
  cluster = await startLocalCluster(options);
};
afterEach(() => cluster.stop());

const statefulSets = '/apis/apps/v1/namespaces/default/statefulsets';
const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';

const read = async () => (await ask(cluster, `GET ${deployments}/web`)).body;
const image = (name: string) => ({
  spec: { template: { spec: { containers: [{ name: 'web', image: name }] } } },
});

describe('a Deployment', () => {
  test('is available at once by default', async () => {
    await begin();
    await ask(cluster, `POST ${deployments}`, { body: deployment('web', { replicas: 3 }) });
    await cluster.controllers.settled();
    expect((await read()).status).toMatchObject({ replicas: 3, availableReplicas: 3 });
  });

  test('rolls: old pods stay until the new ones are ready, the revision counts on', async () => {
    await begin({ podsReadyAfterMs: 500 });
    await ask(cluster, `POST ${deployments}`, { body: deployment('web', { replicas: 2 }) });
    await cluster.controllers.settled();
    await ask(cluster, `PATCH ${deployments}/web`, {
      body: image('nginx:2'),
      type: 'application/strategic-merge-patch+json',
    });
    await vi.waitFor(async () =>
      expect((await read()).status).toMatchObject({
        observedGeneration: 2,
        replicas: 4,
        updatedReplicas: 2,
        availableReplicas: 2,
        unavailableReplicas: 2,
      }),
    );
    await cluster.controllers.settled();
    const { status, metadata } = await read();
    expect(status).toMatchObject({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 });
    expect(metadata.annotations['deployment.kubernetes.io/revision']).toBe('2');
  });

  test('has a separate entry of the controller', async () => {
    await begin();
    await ask(cluster, `PATCH ${deployments}/web?fieldManager=us`, {
      body: deployment('web'),
      type: applyPatchType,
    });
    await cluster.controllers.settled();
    const { metadata } = await read();
    expect(metadata.managedFields).toMatchObject([
      { manager: 'us', operation: 'Apply' },
      { manager: 'kube-controller-manager', operation: 'Update', subresource: 'status' },
    ]);
    expect(metadata.generation).toBe(1);
  });
});

describe('a StatefulSet', () => {
  test('creates its volume claims, and leaves them when deleted', async () => {
    await begin();
    const { spec } = deployment('db');
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await ask(cluster, `POST ${statefulSets}`, {
      body: {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'db' },
        spec: { ...spec, serviceName: 'db', replicas: 2, volumeClaimTemplates: [claim] },
      },
    });
    await cluster.controllers.settled();
    const names = async () =>
      (await ask(cluster, `GET ${claims}`)).body.items.map(
        (item: { metadata: { name: string } }) => item.metadata.name,
      );
    expect(await names()).toEqual(['data-db-0', 'data-db-1']);
    const { body } = await ask(cluster, `GET ${statefulSets}/db`);
    expect(body.status).toMatchObject({ observedGeneration: 1, replicas: 2, readyReplicas: 2 });
    await ask(cluster, `DELETE ${statefulSets}/db`);
    await cluster.controllers.settled();
    expect(await names()).toEqual(['data-db-0', 'data-db-1']);
    await ask(cluster, `DELETE ${claims}/data-db-0`);
    await cluster.controllers.settled();
    expect(await names()).toEqual(['data-db-1']);
  });
});

describe('a volume claim', () => {
  test('is bound with what it requested first, and deleted', async () => {
    await begin();
    const sized = (storage: string) => ({
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
    await ask(cluster, `POST ${claims}`, { body: sized('1Gi') });
    await cluster.controllers.settled();
    const bound = (await ask(cluster, `GET ${claims}/data`)).body;
    expect(bound.spec.volumeName).toBe(`pvc-${bound.metadata.uid}`);
    expect(bound.status).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
    });
    await ask(cluster, `PATCH ${claims}/data`, { body: sized('2Gi'), type: mergePatchType });
    await cluster.controllers.settled();
    const grown = (await ask(cluster, `GET ${claims}/data`)).body;
    expect(grown.spec.resources.requests).toEqual({ storage: '2Gi' });
    expect(grown.status).toEqual(bound.status);
    await ask(cluster, `DELETE ${claims}/data`);
    await cluster.controllers.settled();
    expect((await ask(cluster, `GET ${claims}/data`)).code).toBe(404);
  });
});

describe('an autoscaler', () => {
  const make = async (bounds: object) => {
    await begin();
    await ask(cluster, `POST ${deployments}`, { body: deployment('web', { replicas: 2 }) });
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    await ask(cluster, `POST ${autoscalers}`, {
      body: { metadata: { name: 'web' }, spec: { scaleTargetRef, ...bounds } },
    });
    await cluster.controllers.settled();
  };
  const replicas = async () => (await read()).spec.replicas;

  test.each([
    { reason: 'raised to the minimum', bounds: { minReplicas: 3, maxReplicas: 5 }, want: 3 },
    { reason: 'lowered to the maximum', bounds: { maxReplicas: 1 }, want: 1 },
    { reason: 'left within bounds', bounds: { maxReplicas: 5 }, want: 2 },
  ])('a target of 2 is $reason', async ({ bounds, want }) => {
    await make(bounds);
    expect(await replicas()).toBe(want);
  });

  test('scales on request, within its bounds', async () => {
    await make({ maxReplicas: 5 });
    cluster.controllers.autoscale({ namespace: 'default', name: 'web', replicas: 9 });
    expect(await replicas()).toBe(5);
    const { metadata } = await read();
    expect(metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'kube-controller-manager', subresource: 'scale' }),
    );
  });

  test('follows a target scaled by hand', async () => {
    await make({ minReplicas: 2, maxReplicas: 5 });
    await ask(cluster, `PATCH ${deployments}/web/scale`, {
      body: { spec: { replicas: 1 } },
      type: mergePatchType,
    });
    await cluster.controllers.settled();
    expect(await replicas()).toBe(2);
  });
});
