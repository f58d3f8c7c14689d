import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configMap } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { definitionType } from '../scenarios/definitions.ts';
import { hold } from '../scenarios/resources.ts';
import { witness } from '../support/witness.ts';
import { eachCall } from './calls.ts';
import { faultsIn, look } from './desired.ts';
import { engineUser } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });
afterEach(() => engine.cluster.undisturb());

const place = usePlace(engine);
beforeEach(async () => {
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
});

/** Runs one action before each of the first status writes. */
function beforeCommit(act: (time: number) => Promise<unknown>, times = 1): void {
  let seen = 0;
  engine.cluster.intercept(async ({ user, namespace, subresource }) => {
    if (user !== engineUser || namespace !== place.namespace || subresource !== 'status') return;
    if (seen++ < times) await act(seen);
  });
}

/** Lists the requests of the run, except lists. */
const sent = () =>
  place
    .requests()
    .filter(({ verb }) => verb !== 'list')
    .map(({ verb, resource, subresource, name, status }) =>
      [verb, subresource === '' ? resource : `${resource}/${subresource}`, name, status].join(' '),
    );

const label = (time: number) =>
  place.api.patch(foo, 'f', { metadata: { labels: { touched: String(time) } } });

describe('a status write that meets a conflict', () => {
  test.each([1, 3])(
    'caused by a label, %i times, is repeated without another plan',
    async (times) => {
      beforeCommit(label, times);
      const report = await place.resync();
      const again = ['patch foos/status f 409', 'get foos f 200'];
      expect(sent()).toEqual([
        'patch deployments a 201',
        'create events  201',
        ...Array.from({ length: times }, () => again).flat(),
        'patch foos/status f 200',
      ]);
      expect(report.failures).toEqual([]);
      const { status, metadata } = await place.api.get(foo, 'f');
      expect(metadata.labels).toEqual({ touched: String(times) });
      expect(status).toMatchObject({
        observedGeneration: 1,
        children: [{ kind: 'Deployment', name: 'a' }],
        conditions: [{ type: 'Ready' }, { type: 'Reconciling' }],
      });
    },
  );

  test('caused by an edit leads to another plan, and to one Event', async () => {
    beforeCommit(() => place.api.patch(foo, 'f', { spec: { deploymentName: 'b' } }));
    const report = await place.resync();
    expect(report.outcomes).toMatchObject({ created: 1, deleted: 1 });
    expect(faultsIn(await look(place.api))).toEqual([]);
    const { status } = await place.api.get(foo, 'f');
    expect(status).toMatchObject({ observedGeneration: 2, children: [{ name: 'b' }] });
  });

  test('caused by an edit leaves a child deleted that a finalizer keeps', async () => {
    await place.resync();
    await place.api.patch(deployment, 'a', hold);
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
    beforeCommit(() => place.api.patch(foo, 'f', { spec: { replicas: 2 } }));
    const { outcomes } = await place.resync();
    expect(outcomes).toMatchObject({ updated: 1, deleted: 1, skipped: 0 });
    const { status } = await place.api.get(foo, 'f');
    expect(status?.children?.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(status?.conditions?.[0]?.reason).toBe('ChildDeleting');
  });

  test('caused by a deletion is no error, and nothing more is written', async () => {
    beforeCommit(() => place.api.remove(foo, 'f'));
    const report = await place.resync();
    expect(report.failures).toEqual([]);
    expect(sent().slice(-2)).toEqual(['patch foos/status f 404', 'get foos f 404']);
  });

  test('caused by a recreated resource does not touch the children', async () => {
    beforeCommit(async () => {
      await place.api.remove(foo, 'f');
      await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    });
    const report = await place.resync();
    expect(report.failures).toMatchObject([{ reason: 'ErrResourceExists' }]);
    engine.cluster.controllers.resume();
    await engine.cluster.controllers.settled();
    engine.cluster.controllers.pause();
    await place.resync();
    expect(faultsIn(await look(place.api))).toEqual([]);
  });

  test('caused by a suspension is repeated with the suspension, and nothing else is written', async () => {
    beforeCommit(() =>
      place.api.patch(foo, 'f', {
        metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
      }),
    );
    await place.resync();
    const { status } = await place.api.get(foo, 'f');
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'Unknown' },
      { type: 'Suspended' },
    ]);
    expect(sent().filter((one) => one.startsWith('patch deployments'))).toHaveLength(1);
  });

  test('caused by labels again and again succeeds in the end, with one Event', async () => {
    beforeCommit(label, 1000);
    const report = await place.resync();
    expect(report.failures).toEqual([]);
    expect(report.statusWrites).toBe(1);
    expect((await place.api.get(foo, 'f')).status).toMatchObject({ observedGeneration: 1 });
    expect(await place.api.list(eventType)).toHaveLength(1);
  });

  test('caused by an edit leads to another plan even if the write is locked to the uid alone', async () => {
    beforeCommit((time) => {
      const replicas = time === 5 ? 3 : 1;
      return place.api.patch(foo, 'f', {
        metadata: { labels: { touched: String(time) } },
        spec: { replicas },
      });
    }, 5);
    await place.resync();
    expect((await place.api.get(foo, 'f')).status).toMatchObject({ observedGeneration: 2 });
    expect(faultsIn(await look(place.api))).toEqual([]);
  });

  test('caused by a recreated resource writes no status to it, even if the write is locked to the uid alone', async () => {
    beforeCommit(async (time) => {
      if (time < 5) return label(time);
      await place.api.remove(foo, 'f');
      return place.api.create(foo, 'f', { spec: { deploymentName: 'other' } });
    }, 5);
    await place.resync();
    const { status } = await place.api.get(foo, 'f');
    expect(status?.children ?? []).not.toContainEqual(expect.objectContaining({ name: 'a' }));
  });

  test('caused by edits again and again leaves the status of another run that applies the last one', async () => {
    beforeCommit(async (time) => {
      await place.api.patch(foo, 'f', { spec: { replicas: 1 + time } });
      if (time < 5) return;
      engine.cluster.undisturb();
      await place.resync();
    }, 5);
    const report = await place.resync();
    expect(report.failures).toMatchObject([{ reason: 'NotFinished' }]);
    const { metadata, status } = await place.api.get(foo, 'f');
    expect(status?.observedGeneration).toBe(metadata.generation);
    expect(status?.conditions?.map(({ reason }) => reason)).not.toContain('Conflict');
    expect(faultsIn(await look(place.api))).toEqual([]);
  });

  test('caused by edits again and again is given up and reported in the status, and the next resync completes it', async () => {
    const replicas = (time: number) =>
      place.api.patch(foo, 'f', { spec: { replicas: 1 + (time % 5) } });
    beforeCommit(replicas, 1000);
    const report = await place.resync();
    expect(report.failures).toMatchObject([{ reason: 'NotFinished' }]);
    const { status } = await place.api.get(foo, 'f');
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'Conflict' },
      { type: 'Reconciling', reason: 'Conflict' },
    ]);
    expect(status?.observedGeneration).toBe(-1);
    engine.cluster.undisturb();
    await place.resync();
    expect(faultsIn(await look(place.api))).toEqual([]);
    const { metadata, status: healed } = await place.api.get(foo, 'f');
    expect(healed?.observedGeneration).toBe(metadata.generation);
  });
});

describe('a run that repaired a child', () => {
  beforeEach(async () => {
    await place.resync();
    await place.resync();
    await place.api.scale(deployment, 'a', 3);
  });

  test('ends with a status that records the repair', async () => {
    const begun = sent().length;
    await place.resync();
    expect(sent().slice(begun)).toEqual([
      'patch deployments a 200',
      'patch deployments a 200',
      'create events  201',
      'patch foos/status f 200',
    ]);
  });

  test('finds an edit that was made meanwhile', async () => {
    engine.cluster.intercept(async ({ user, resource, verb }) => {
      if (user !== engineUser || resource !== 'events' || verb !== 'create') return;
      await place.api.patch(foo, 'f', { spec: { replicas: 2 } });
    });
    await place.resync();
    expect(faultsIn(await look(place.api))).toEqual([]);
    expect((await place.api.get(foo, 'f')).status).toMatchObject({ observedGeneration: 2 });
  });
});

const status = '/spec/versions/0/schema/openAPIV3Schema/properties/status/properties';

test.each([
  {
    reason: 'without a status subresource',
    operation: { op: 'remove', path: '/spec/versions/0/subresources' },
    says: 'its CRD has no status subresource; install the CRD that',
  },
  {
    reason: 'that lacks a field',
    operation: { op: 'remove', path: `${status}/children` },
    says: '.status.children: field not declared in schema; if its CRD is out of date, install the CRD that',
  },
  {
    reason: 'with another bound',
    operation: {
      op: 'add',
      path: `${status}/conditions/items/properties/observedGeneration/minimum`,
      value: 7,
    },
    says: 'greater than or equal to 7]; if its CRD is out of date, install the CRD that',
  },
])(
  'a status refused by a CRD $reason is reported, with the remedy',
  async ({ operation, says }) => {
    const plain = { ...foo, kind: 'Outdated', plural: 'outdateds' };
    await engine.install([plain]);
    await engine.admin.patch(definitionType, groupResource(plain), [operation], { as: 'json' });
    const { api, resync } = await engine.place([plain]);
    await api.create(plain, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    const { failures } = await resync();
    expect(failures).toMatchObject([{ message: expect.stringContaining(says) }]);
  },
);

describe('a kind whose status remembers what it has read', () => {
  const remembering = useEngine({ install: [witness] });

  test('forgets nothing that an overlapping run has noted', async () => {
    const { api, namespace, resync } = await remembering.place([witness]);
    await api.create(witness, 'one', { spec: {} });
    let writes = 0;
    remembering.cluster.intercept(async (request) => {
      if (request.namespace !== namespace || request.subresource !== 'status') return;
      if (writes++ > 0) return;
      await api.create(configMap, 'signal', {});
      await resync();
      await api.remove(configMap, 'signal');
    });
    await resync();
    expect((await api.get(witness, 'one')).status).toMatchObject({ seen: true });
  });

  test.each(['this run, with a lost response,', 'an overlapping run'])(
    'is not planned again if %s has written just this status',
    async (who) => {
      const { api, resync } = await remembering.place([witness]);
      await api.create(configMap, 'signal', {});
      await api.create(witness, 'one', { spec: {} });
      const statusWrite = 'apply Witness/status one';
      const calls: string[] = [];
      const through = (cluster: Cluster): Cluster =>
        eachCall(cluster, async (what, call) => {
          calls.push(what);
          if (what !== statusWrite) return call();
          await (who === 'an overlapping run' ? resync() : call());
          const lostResponse = who !== 'an overlapping run';
          const status = { reason: 'Conflict' };
          throw new KubeError('apply', { code: 409, status, lostResponse });
        });
      await resync({ through });
      expect(calls.slice(calls.indexOf(statusWrite))).toEqual([statusWrite, 'get Witness one']);
    },
  );
});
