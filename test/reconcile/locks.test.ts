import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { createForeign } from '../properties/foreign-owner.ts';
import { faultsIn, look } from './desired.ts';
import { engineUser } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });
afterEach(() => engine.cluster.undisturb());

const place = usePlace(engine);
beforeEach(async () => {
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
});

interface Moment {
  readonly verb: string;
  readonly name: string;
  readonly nth?: number;
}

/** Acts just before the engine's request is carried out. */
function slipIn({ verb, name, nth = 1 }: Moment, act: () => Promise<unknown>): void {
  let seen = 0;
  engine.cluster.intercept(async (request) => {
    if (request.user !== engineUser || request.namespace !== place.namespace) return;
    if (request.verb !== verb || request.name !== name || ++seen !== nth) return;
    await act();
  });
}

const child = (name: string): Promise<KubeObject> => place.api.get(deployment, name);
const rename = (to: string) => place.api.patch(foo, 'f', { spec: { deploymentName: to } });
const orphan = (name: string) =>
  place.api.patch(deployment, name, { metadata: { ownerReferences: null } });
const deletions = () =>
  place
    .requests()
    .flatMap(({ verb, name, status }) => (verb === 'delete' ? [`${name} ${status}`] : []));
const faults = async () => faultsIn(await look(place.api));

describe('between decision and write', () => {
  test('a foreign object is created: it is not changed', async () => {
    let theirs: KubeObject | undefined;
    slipIn({ verb: 'patch', name: 'a' }, async () => {
      theirs = await place.api.create(deployment, 'a', await createForeign(place.api, 'nobody'));
    });
    const report = await place.resync();
    expect(report.failures).toMatchObject([{ reason: 'ErrResourceExists' }]);
    expect(await child('a')).toEqual(theirs);
  });

  test.each([
    { reason: 'drift is repaired', prepare: () => place.api.scale(deployment, 'a', 4) },
    {
      reason: 'managedFields are consolidated',
      prepare: () =>
        place.api.patch(
          deployment,
          'a',
          { spec: { replicas: 3 } },
          { manager: 'serverless-reconciler' },
        ),
    },
  ])('the child is orphaned while $reason: it is not changed', async ({ prepare }) => {
    await place.resync();
    await prepare();
    let theirs: KubeObject | undefined;
    slipIn({ verb: 'patch', name: 'a' }, async () => {
      theirs = await orphan('a');
    });
    const report = await place.resync();
    expect(report.failures).toMatchObject([{ reason: 'ErrResourceExists' }]);
    expect(await child('a')).toEqual(theirs);
  });

  test('the child is deleted: it is recreated in full', async () => {
    await place.resync();
    await place.api.scale(deployment, 'a', 4);
    slipIn({ verb: 'patch', name: 'a' }, () => place.api.remove(deployment, 'a'));
    await place.resync();
    expect(await faults()).toEqual([]);
  });

  test('the child is deleted between the two writes of a hand-over of replicas: it is recreated', async () => {
    await place.resync();
    await place.api.patch(foo, 'f', { spec: { replicas: null } });
    slipIn({ verb: 'patch', name: 'a', nth: 2 }, () => place.api.remove(deployment, 'a'));
    await place.resync();
    expect(await faults()).toEqual([]);
  });

  test('another manager changes the child: its field is kept, and ours is set', async () => {
    await place.resync();
    await place.api.scale(deployment, 'a', 4);
    slipIn({ verb: 'patch', name: 'a' }, () =>
      place.api.patch(deployment, 'a', { spec: { minReadySeconds: 5 } }),
    );
    await place.resync();
    expect(await faults()).toEqual([]);
    expect((await child('a')).spec).toMatchObject({ replicas: 1, minReadySeconds: 5 });
  });
});

describe('between decision and deletion', () => {
  beforeEach(async () => {
    await place.resync();
    await rename('b');
  });

  test('the unwanted child is orphaned: it is not deleted', async () => {
    let theirs: KubeObject | undefined;
    slipIn({ verb: 'delete', name: 'a' }, async () => {
      theirs = await orphan('a');
    });
    await place.resync();
    expect(await child('a')).toEqual(theirs);
    expect(deletions()).toEqual(['a 409']);
    expect(await faults()).toEqual([]);
  });

  test('the unwanted child is deleted and a foreign object takes its name: that is not deleted', async () => {
    slipIn({ verb: 'delete', name: 'a' }, async () => {
      await place.api.remove(deployment, 'a');
      await place.api.create(deployment, 'a', await createForeign(place.api, 'nobody'));
    });
    await place.resync();
    expect(await child('a')).toBeDefined();
    expect(await faults()).toEqual([]);
  });

  test.each([
    { reason: 'is desired again', act: () => rename('a') },
    {
      reason: 'belongs to a resource that is suspended',
      act: () =>
        place.api.patch(foo, 'f', {
          metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
        }),
    },
    { reason: 'belongs to a resource that is deleted', act: () => place.api.remove(foo, 'f') },
  ])('the unwanted child $reason: no deletion is sent', async ({ act }) => {
    slipIn({ verb: 'patch', name: 'b' }, act);
    await place.resync();
    expect(deletions().filter((one) => one.startsWith('a'))).toEqual([]);
    expect(await faults()).toEqual([]);
  });

  test('a desired child cannot be written: the former child stays until it can', async () => {
    const foreign = await place.api.create(
      deployment,
      'b',
      await createForeign(place.api, 'another controller'),
    );
    await place.resync();
    expect(deletions()).toEqual([]);
    const { status } = await place.api.get(foo, 'f');
    // The status still lists the child, so that the next run deletes it.
    expect(status).toMatchObject({ observedGeneration: 1, children: [{ name: 'a' }] });
    expect(status?.conditions).toMatchObject([
      { type: 'Ready', observedGeneration: 2 },
      { type: 'Stalled', observedGeneration: 2 },
    ]);
    expect(await child('b')).toEqual(foreign);
    await place.api.remove(deployment, 'b');
    await place.resync();
    expect(deletions()).toEqual(['a 200']);
    expect(await faults()).toEqual([]);
  });
});

describe('a child that is listed in the status is still found', () => {
  beforeEach(() => place.resync());

  test('if it lost its labels while the spec was invalid', async () => {
    await place.api.patch(deployment, 'a', { metadata: { labels: null } });
    await rename('');
    await place.resync();
    await rename('b');
    await place.resync();
    expect(await faults()).toEqual([]);
  });

  test('if it lost its labels while it could not be written', async () => {
    await place.api.patch(deployment, 'a', { metadata: { labels: null } });
    const repair = engine.cluster.faults.add({
      user: engineUser,
      namespace: place.namespace,
      verb: 'patch',
      resource: 'deployments',
      effect: { kind: 'status', code: 410 },
    });
    await place.resync();
    repair();
    await rename('b');
    await place.resync();
    expect(await faults()).toEqual([]);
  });

  test('if an older run created it, and it lost its labels before that run ended', async () => {
    await rename('b');
    slipIn({ verb: 'delete', name: 'a' }, async () => {
      await place.api.patch(deployment, 'b', { metadata: { labels: null } });
      await rename('c');
    });
    await place.resync();
    expect(await faults()).toEqual([]);
  });
});
