import { beforeEach, describe, expect, test } from 'vitest';
import { clusterRole, configMap, job } from '../../index.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { suspendAnnotation } from '../../shared/kinds/names.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { definitionType } from '../scenarios/definitions.ts';
import { depot, finalizer } from '../support/finalizing-kind.ts';
import { eachCall } from './calls.ts';
import { isWriteRequest, namespaceType, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

let now = Date.parse('2026-11-26T12:00:00Z');
const engine = useEngine({
  controllers: 'paused',
  install: [depot],
  clock: () => new Date(now),
});
let place: Place;
beforeEach(async () => {
  place = await engine.place([depot]);
  await place.api.create(depot, 'north', { spec: {} });
});

const settled = async (): Promise<void> => {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
};
/** Runs until the resource is Ready. */
async function complete(): Promise<void> {
  for (let runs = 0; runs < 3; runs++) {
    await place.resync();
    await settled();
  }
}
type Policy = 'Background' | 'Foreground' | 'Orphan';
const remove = (policy: Policy = 'Background') => place.api.remove(depot, 'north', policy);
const live = () => place.api.find(depot, 'north');
const ready = async () => (await live())?.status?.conditions?.find(({ type }) => type === 'Ready');
const names = async () =>
  [...(await place.api.list(job)), ...(await place.api.list(configMap))]
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== 'kube-root-ca.crt');
const events = async (api = place.api) =>
  (await api.list(eventType)).map(({ type, reason, message }) => ({ type, reason, message }));

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}
const reading: Rule = { apiGroups: ['example.org'], resources: ['depots'], verbs: ['get', 'list'] };
const permissions = async () =>
  (await engine.admin.get(clusterRole, 'serverless-reconciler')) as unknown as { rules: Rule[] };
const grant = (rules: readonly Rule[]) =>
  engine.admin.patch(clusterRole, 'serverless-reconciler', { rules } as never);

describe('a resource whose kind cleans up', () => {
  test('gets the finalizer before its first child', async () => {
    await place.resync();
    const writes = place
      .requests()
      .filter(isWriteRequest)
      .map(({ resource, subresource }) =>
        subresource === '' ? resource : `${resource}/${subresource}`,
      );
    expect(writes.slice(0, 2)).toEqual(['depots', 'jobs']);
    expect((await live())?.metadata.finalizers).toEqual([finalizer]);
  });

  test('is removed once its Jobs are complete and the objects that must be gone are gone', async () => {
    await complete();
    await remove();
    await place.resync();
    expect(await names()).toEqual(['north-empty', 'north-make', 'north-bucket', 'north-settings']);
    expect(await ready()).toMatchObject({
      status: 'False',
      reason: 'Finalizing',
      message:
        'ConfigMap north-bucket waits for Job north-empty; Job north-empty: not complete yet',
    });
    await settled();
    await place.resync();
    expect(await live()).toBeUndefined();
    expect(await names()).not.toContain('north-bucket');
    await settled();
    expect(await names()).toEqual([]);
  });

  test('is removed within one run that waits for its Jobs', async () => {
    await complete();
    await remove();
    await place.resync({ settleSeconds: 30, wait: settled });
    expect(await live()).toBeUndefined();
  });

  test('neither repairs nor prunes its other children during the clean-up', async () => {
    await complete();
    await remove();
    await place.api.patch(configMap, 'north-settings', { data: { image: 'two' } });
    await place.api.remove(configMap, 'north-bucket');
    await place.resync();
    expect((await place.api.get(configMap, 'north-settings')).data).toEqual({ image: 'two' });
    expect(await names()).not.toContain('north-bucket');
  });

  test('waits for an object that must be gone, even if that lost its labels', async () => {
    await complete();
    const hold = { metadata: { labels: null, finalizers: ['example.com/hold'] } };
    await place.api.patch(configMap, 'north-bucket', hold);
    await remove();
    await place.resync();
    await settled();
    await place.resync();
    await place.resync();
    expect(await ready()).toMatchObject({
      reason: 'Finalizing',
      message: 'ConfigMap north-bucket is being deleted',
    });
    await place.api.patch(configMap, 'north-bucket', { metadata: { finalizers: null } });
    await place.resync();
    expect(await live()).toBeUndefined();
  });

  test('does not delete an object of another owner, and does not wait for it', async () => {
    await complete();
    await place.api.patch(configMap, 'north-bucket', { metadata: { ownerReferences: null } });
    await remove();
    await place.resync();
    await settled();
    await place.resync();
    expect(await live()).toBeUndefined();
    expect(await names()).toContain('north-bucket');
  });

  test('is Stalled with the message of a failed Job, and removed once the Job succeeds', async () => {
    await complete();
    await remove();
    await place.resync();
    const time = new Date(now).toISOString();
    const conditions = ['FailureTarget', 'Failed'].map((type) => ({
      type,
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'no access',
      lastTransitionTime: time,
    }));
    const status = { startTime: time, failed: 1, conditions };
    await place.api.patch(job, 'north-empty', { status }, { subresource: 'status' });
    await place.resync();
    expect(await ready()).toMatchObject({
      status: 'False',
      reason: 'BackoffLimitExceeded',
      message: expect.stringContaining('Job north-empty: no access'),
    });
    await place.api.remove(job, 'north-empty');
    await complete();
    expect(await live()).toBeUndefined();
  });

  test('is removed after finalizeSeconds, with an Event and a line in the log', async () => {
    await complete();
    await remove();
    await place.resync();
    now += 599_000;
    await place.resync();
    expect(await live()).toBeDefined();
    now += 2_000;
    await place.resync();
    expect(await live()).toBeUndefined();
    expect(await events()).toContainEqual({
      type: 'Warning',
      reason: 'FinalizeTimedOut',
      message: `the clean-up of Depot ${place.namespace}/north was not complete after 600 s; the resource is removed without it: ConfigMap north-bucket waits for Job north-empty; Job north-empty: not complete yet`,
    });
    expect(engine.complaints.at(-1)).toContain(
      'finalizer removed before the clean-up was complete',
    );
  });

  test.each([
    ['by another run', false, 0],
    ['by its own request, whose response was lost', true, 1],
  ])(
    'is removed after finalizeSeconds with an Event only if this run removes it: %s',
    async (_, lostResponse, want) => {
      await complete();
      await remove();
      await place.resync();
      now += 601_000;
      const through = (cluster: Cluster) =>
        eachCall(cluster, async (what, call) => {
          if (what !== 'patch Depot north') return call();
          await place.api.patch(depot, 'north', { metadata: { finalizers: null } });
          const status = { reason: 'NotFound' };
          throw new KubeError('patch', { code: 404, status, lostResponse });
        });
      expect(await place.resync({ through })).toMatchObject({ failures: [], undone: [] });
      expect(await live()).toBeUndefined();
      const reasons = (await events()).map(({ reason }) => reason);
      expect(reasons.filter((reason) => reason === 'FinalizeTimedOut')).toHaveLength(want);
    },
  );

  test('is removed without a Warning if its Jobs are complete, however late the next run is', async () => {
    await complete();
    await remove();
    await place.resync();
    await settled();
    now += 601_000;
    await place.resync();
    expect(await live()).toBeUndefined();
    expect(await names()).not.toContain('north-bucket');
    expect((await events()).map(({ reason }) => reason)).not.toContain('FinalizeTimedOut');
  });

  test('is removed without a Warning if its Job ends at the last moment, after it was listed', async () => {
    await complete();
    await remove();
    await place.resync();
    now += 599_000;
    const through = (cluster: Cluster) =>
      eachCall(cluster, async (what, call) => {
        if (what === 'list depots') {
          await settled();
          now += 2_000;
        }
        return call();
      });
    await place.resync({ through });
    await place.resync();
    expect(await live()).toBeUndefined();
    expect(await names()).not.toContain('north-bucket');
    expect((await events()).map(({ reason }) => reason)).not.toContain('FinalizeTimedOut');
  });

  test('is removed after finalizeSeconds even if the code of its clean-up fails', async () => {
    const finalize = () => ({ invalid: 'no such store' });
    const kinds = [{ ...depot, finalize }];
    await complete();
    await remove();
    await place.resync({ kinds });
    expect(await ready()).toMatchObject({ reason: 'InvalidSpec' });
    now += 601_000;
    await place.resync({ kinds });
    expect(await live()).toBeUndefined();
    expect(await events()).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('without it: no such store') }),
    );
  });

  test('is reported as removed only once it is, if the permission is missing', async () => {
    const granted = (await permissions()).rules;
    await complete();
    await remove();
    await place.resync();
    await grant([...granted.filter(({ resources }) => !resources.includes('depots')), reading]);
    const complaints = engine.complaints.length;
    now += 601_000;
    await place.resync();
    expect(await live()).toBeDefined();
    const isRemoval = (line: string) => line.includes('finalizer removed');
    const added = () => engine.complaints.slice(complaints).filter(isRemoval);
    expect(added()).toEqual([]);
    expect((await events()).map(({ reason }) => reason)).not.toContain('FinalizeTimedOut');
    await grant(granted);
    await place.resync();
    expect(await live()).toBeUndefined();
    expect((await events()).map(({ reason }) => reason)).toContain('FinalizeTimedOut');
    expect(added()).toHaveLength(1);
  });

  test.each([
    ['was Ready', complete],
    ['was not Ready', () => place.resync()],
  ])(
    'is cleaned up even if it %s and no run began that before finalizeSeconds had passed',
    async (_, begin) => {
      await begin();
      await remove();
      now += 7_200_000;
      await place.resync();
      expect(await names()).toContain('north-empty');
      now += 599_000;
      await place.resync();
      expect(await ready()).toMatchObject({ reason: 'Finalizing' });
      now += 2_000;
      await place.resync();
      expect(await live()).toBeUndefined();
      expect((await events()).map(({ reason }) => reason)).toContain('FinalizeTimedOut');
    },
  );

  test('is cleaned up for finalizeSeconds even if a clock was ahead when Ready changed', async () => {
    now += 86_400_000;
    await place.resync();
    now -= 86_400_000;
    await remove();
    await place.resync();
    expect(await ready()).toMatchObject({ reason: 'Finalizing' });
    now += 601_000;
    await place.resync();
    expect(await live()).toBeUndefined();
  });

  test('is cleaned up even if a restored status says that its present generation was Ready', async () => {
    await place.api.patch(depot, 'north', { spec: { image: 'two' } });
    await complete();
    const saved = await live();
    await place.api.patch(depot, 'north', { metadata: { finalizers: null } });
    await remove();
    await settled();
    await place.api.create(depot, 'north', { metadata: { finalizers: [finalizer] }, spec: {} });
    const status = saved?.status;
    await place.api.patch(depot, 'north', { status }, { subresource: 'status' });
    await remove();
    expect((await live())?.metadata.generation).toBe(status?.observedGeneration);
    now += 7_200_000;
    await place.resync();
    expect(await names()).toContain('north-empty');
    expect(await ready()).toMatchObject({ status: 'False', reason: 'Finalizing' });
  });

  test('is cleaned up during a foreground deletion, for which the garbage collector waits', async () => {
    await complete();
    const held = { metadata: { finalizers: ['example.com/not-empty'] } };
    await place.api.patch(configMap, 'north-bucket', held);
    await remove('Foreground');
    await settled();
    expect(await names()).toEqual(['north-bucket']);
    await place.resync();
    expect(await names()).toEqual(['north-empty', 'north-bucket']);
    expect(await ready()).toMatchObject({
      reason: 'Finalizing',
      message: 'ConfigMap north-bucket is being deleted; Job north-empty: not complete yet',
    });
    await settled();
    await place.resync();
    expect(await live()).toBeDefined();
    await place.api.patch(configMap, 'north-bucket', { metadata: { finalizers: null } });
    await place.resync();
    await settled();
    expect(await live()).toBeUndefined();
    expect(await names()).toEqual([]);
  });

  test('runs its Jobs again if a second deletion, in the foreground, removes them', async () => {
    await complete();
    await remove();
    await place.resync();
    await remove('Foreground');
    await settled();
    expect(await names()).toEqual([]);
    await place.resync();
    expect(await names()).toEqual(['north-empty']);
  });

  test('is cleaned up after its children are orphaned', async () => {
    await complete();
    await remove('Orphan');
    await settled();
    await place.resync();
    await settled();
    await place.resync();
    expect(await live()).toBeUndefined();
    await settled();
    expect(await names()).toEqual(['north-make', 'north-bucket', 'north-settings']);
  });

  test('is removed without a clean-up in a namespace that is being deleted, with an Event in default', async () => {
    await complete();
    await engine.admin.remove(namespaceType, place.namespace);
    await settled();
    expect(await live()).toBeDefined();
    await place.resync();
    expect(await live()).toBeUndefined();
    expect(await events(engine.admin)).toContainEqual({
      type: 'Warning',
      reason: 'NamespaceTerminating',
      message: expect.stringContaining(
        `the clean-up of Depot ${place.namespace}/north was not possible; the resource is removed without it: `,
      ),
    });
  });

  test('is cleaned up although it is suspended', async () => {
    await complete();
    await place.api.patch(depot, 'north', {
      metadata: { annotations: { [suspendAnnotation]: 'true' } },
    });
    await place.resync();
    await remove();
    await complete();
    expect(await live()).toBeUndefined();
  });

  test('loses our finalizer, and keeps those of others', async () => {
    await complete();
    await place.api.patch(depot, 'north', {
      metadata: { finalizers: ['example.com/first', finalizer] },
    });
    await remove();
    await complete();
    expect((await live())?.metadata.finalizers).toEqual(['example.com/first']);
    expect(await ready()).toMatchObject({ status: 'False', reason: 'Finalized' });
    const before = (await live())?.metadata.resourceVersion;
    await place.resync();
    expect((await live())?.metadata.resourceVersion).toBe(before);
  });

  test('is removed at once if it is deleted before it has children', async () => {
    await remove();
    expect(await live()).toBeUndefined();
  });

  test('causes no writes during the clean-up without a change', async () => {
    await complete();
    const before = place.requests().length;
    await place.resync();
    expect(place.requests().slice(before).filter(isWriteRequest)).toEqual([]);
    await remove();
    await place.resync();
    const waiting = place.requests().length;
    await place.resync();
    expect(place.requests().slice(waiting).filter(isWriteRequest)).toEqual([]);
  });

  test('gets the finalizer without an edit once its kind has a clean-up, and loses it once it has none', async () => {
    const { finalize: _, ...plain } = depot;
    await place.resync({ kinds: [plain as Kind] });
    expect((await live())?.metadata.finalizers).toBeUndefined();
    await complete();
    expect((await live())?.metadata.finalizers).toEqual([finalizer]);
    await place.resync({ kinds: [plain as Kind] });
    expect((await live())?.metadata.finalizers).toBeUndefined();
  });

  test('keeps, and is cleaned up with, a finalizer that an earlier version added under the main field manager', async () => {
    await complete();
    await place.api.patch(depot, 'north', { metadata: { finalizers: null } });
    const added = { metadata: { finalizers: [finalizer] } };
    await place.api.apply(depot, 'north', added, 'serverless-reconciler');
    const before = place.requests().length;
    await place.resync();
    expect(place.requests().slice(before).filter(isWriteRequest)).toEqual([]);
    expect((await live())?.metadata.finalizers).toEqual([finalizer]);
    await remove();
    await complete();
    expect(await live()).toBeUndefined();
  });

  test('is removed without a clean-up if its kind no longer has one', async () => {
    await complete();
    await remove();
    const { finalize: _, ...plain } = depot;
    await place.resync({ kinds: [plain as Kind] });
    expect(await live()).toBeUndefined();
  });

  test('gets no finalizer, and costs no more requests, if its kind has no clean-up', async () => {
    const { finalize: _, ...plain } = depot;
    const kinds = [plain as Kind];
    for (let runs = 0; runs < 3; runs++) {
      await place.resync({ kinds });
      await settled();
    }
    const own = place.requests().filter(({ resource }) => resource === 'depots');
    expect(
      own
        .filter(({ verb }) => verb !== 'list')
        .map(({ verb, subresource }) => `${verb} ${subresource}`),
    ).toEqual(['patch status', 'patch status']);
    await remove();
    expect(await live()).toBeUndefined();
  });

  test('is Stalled, without children, without the permission to add the finalizer', async () => {
    const granted = (await permissions()).rules;
    await grant([...granted.filter(({ resources }) => !resources.includes('depots')), reading]);
    await place.resync();
    expect(await names()).toEqual([]);
    expect(await ready()).toMatchObject({
      status: 'False',
      reason: 'Forbidden',
      message: expect.stringContaining('cannot patch resource "depots"'),
    });
    await grant(granted);
    await complete();
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  test('is cleaned up if the CRD of its kind is deleted', async () => {
    const shed = { ...depot, kind: 'Shed', plural: 'sheds' };
    await engine.install([shed]);
    const other = await engine.place([shed]);
    await other.api.create(shed, 'north', { spec: {} });
    await other.resync();
    await settled();
    await other.resync();
    await engine.admin.remove(definitionType, 'sheds.example.org');
    await settled();
    await other.resync();
    expect((await other.api.list(job)).map(({ metadata }) => metadata.name)).toContain(
      'north-empty',
    );
    await settled();
    await other.resync();
    await settled();
    expect(await engine.admin.find(definitionType, 'sheds.example.org')).toBeUndefined();
  });
});
