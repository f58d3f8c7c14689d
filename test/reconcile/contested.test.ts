import { beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { horizontalPodAutoscaler } from '../../shared/kinds/child-types/small-groups.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { foreignDeployment } from '../scenarios/resources.ts';
import { kindsFor } from '../support/config.ts';
import { type Around, eachCall } from './calls.ts';
import { faultsIn, look } from './desired.ts';
import { engineUser, isWriteRequest, type Place, type Settings } from './engine.ts';
import { setRecords } from './set-records.ts';
import { useEngine } from './use-engine.ts';

const apps = kindsFor({ authUrl: undefined, ingressClass: 'nginx' }).filter(
  ({ kind }) => kind === 'ContainerApp',
);

let now = new Date('2026-01-01T00:00:00Z').getTime();
const engine = useEngine({ controllers: 'paused', clock: () => new Date(now) });

let place: Place;
beforeEach(async () => {
  place = await engine.place();
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  await run('resync', 0);
  await run('resync', 60);
});

/** Runs after this many seconds. */
function run(trigger: Settings['trigger'], seconds: number) {
  now += seconds * 1000;
  return place.resync({ trigger, kinds: place.kinds });
}

async function setImage(seconds: number): Promise<void> {
  now += seconds * 1000;
  const containers = [{ name: 'nginx', image: 'theirs:1' }];
  const spec = { template: { spec: { containers } } };
  await place.api.patch(deployment, 'a', { spec }, { as: 'strategic', manager: 'rival' });
}

async function scale(seconds: number): Promise<void> {
  now += seconds * 1000;
  await place.api.scale(deployment, 'a', 4);
}

const faults = async () => faultsIn(await look(place.api));
const image = 'Foo f: Deployment a differs at .spec.template.spec.containers[nginx].image';

describe('a field that is set again within 30 s of its repair', () => {
  beforeEach(async () => {
    await setImage(60);
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
    await setImage(5);
  });

  test('is not repaired after audit events, and the status names the other manager', async () => {
    for (let events = 0; events < 3; events++) {
      const report = await run('audit', 2);
      expect(report.outcomes).toMatchObject({ updated: 0, skipped: 1 });
    }
    expect(await faults()).toEqual([image]);
    const { status } = await place.api.get(foo, 'f');
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Reconciling',
        reason: 'Contested',
        message: expect.stringContaining('rival'),
      }),
    );
  });

  test('is repaired once by the resync', async () => {
    expect((await run('resync', 1)).outcomes.updated).toBe(1);
    expect(await faults()).toEqual([]);
    await setImage(3);
    expect((await run('audit', 1)).outcomes).toMatchObject({ updated: 0, skipped: 1 });
  });

  test('costs at most one write per audit event during the fight', async () => {
    const begun = place.requests().length;
    for (let rounds = 0; rounds < 5; rounds++) {
      await run('audit', 1);
      await setImage(1);
    }
    const written = place.requests().slice(begun);
    expect(written.filter((one) => one.resource === 'deployments' && isWriteRequest(one))).toEqual(
      [],
    );
    expect(written.filter(({ subresource }) => subresource === 'status')).toHaveLength(1);
  });
});

describe('a redelivered request message', () => {
  beforeEach(async () => {
    await setImage(60);
    expect((await run('request', 1)).outcomes.updated).toBe(1);
    await setImage(2);
  });

  test('repairs nothing within 30 s of the repair', async () => {
    expect((await run('request', 2)).outcomes).toMatchObject({ updated: 0, skipped: 1 });
    expect((await run('request', 2)).outcomes).toMatchObject({ updated: 0, skipped: 1 });
  });

  test('repairs once more later, as part of the next resync', async () => {
    expect((await run('audit', 2)).outcomes).toMatchObject({ updated: 0, skipped: 1 });
    expect((await run('request', 60)).outcomes).toMatchObject({ updated: 1, skipped: 0 });
    expect(await faults()).toEqual([]);
  });
});

describe('a child that is deleted again within 30 s of its recreation by another run', () => {
  test.each(['audit', 'request'] as const)('is not recreated (%s)', async (trigger) => {
    await place.api.create(foo, 'g', { spec: { deploymentName: 'b', replicas: 1 } });
    await run('resync', 0);
    await run('resync', 60);
    now += 60_000;
    for (const name of ['a', 'b']) await place.api.remove(deployment, name);
    const created: string[] = [];
    let isDeleted = false;
    const disturb: Around = async (what, call) => {
      const [, name] = /^apply Deployment (.)$/.exec(what) ?? [];
      // The run has planned the first deletion.
      if (name !== undefined && created.push(name) === 2) await run('resync', 1);
      if (what === `get Deployment ${created[1]}` && !isDeleted) {
        isDeleted = true;
        now += 1000;
        await place.api.remove(deployment, created[1]!);
      }
      return call();
    };
    now += 1000;
    const { outcomes } = await place.resync({
      trigger,
      kinds: place.kinds,
      concurrency: 1,
      through: (cluster) => eachCall(cluster, disturb),
    });
    expect(isDeleted).toBe(true);
    expect(outcomes).toMatchObject({ created: 1, skipped: 1 });
    expect(await place.api.find(deployment, created[1]!)).toBeUndefined();
  });
});

describe('fights and records written by others', () => {
  let written = 0;
  /** Posts a forged Event of ours that reports a recreation of the Deployment. */
  async function forge(seconds: number): Promise<void> {
    now += seconds * 1000;
    const { apiVersion, kind, metadata } = await place.api.get(foo, 'f');
    const { name, namespace = '', uid } = metadata;
    const time = new Date(now).toISOString();
    const us = 'serverless-reconciler';
    await place.api.create(eventType, `forged-${++written}`, {
      involvedObject: { apiVersion, kind, name, namespace, uid },
      type: 'Normal',
      reason: 'Repaired',
      message: 'Deployment a: was gone, created again',
      source: { component: us },
      reportingComponent: us,
      reportingInstance: us,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    } as never);
  }

  /** Forges a record in the status, as our field manager, of a recreation of the Deployment. */
  async function record(seconds: number): Promise<void> {
    now += seconds * 1000;
    const repairs = [{ child: 0, at: new Date(now).toISOString() }];
    await setRecords(place.api, foo, 'f', { repairs });
  }

  test('a record of another field manager delays no repair', async () => {
    await place.api.remove(deployment, 'a');
    const { status } = await place.api.get(foo, 'f');
    const repairs = [{ child: 0, at: new Date(now).toISOString() }];
    const lastApplied = { ...(status?.lastApplied as object), repairs };
    await place.api.patch(foo, 'f', { status: { lastApplied } }, { subresource: 'status' });
    expect((await run('audit', 5)).outcomes).toMatchObject({ created: 1, skipped: 0 });
  });

  test.each(['audit', 'request'] as const)('an Event delays no repair (%s)', async (trigger) => {
    await place.api.remove(deployment, 'a');
    await forge(60);
    expect((await run(trigger, 5)).outcomes).toMatchObject({ created: 1, skipped: 0 });
  });

  test('a forged record of our field manager delays a repair by a request message for 30 s', async () => {
    await place.api.remove(deployment, 'a');
    await record(60);
    expect((await run('audit', 5)).outcomes).toMatchObject({ created: 0, skipped: 1 });
    expect((await run('request', 5)).outcomes).toMatchObject({ created: 0, skipped: 1 });
    expect((await run('request', 30)).outcomes).toMatchObject({ created: 1, skipped: 0 });
    await place.api.remove(deployment, 'a');
    expect((await run('request', 5)).outcomes).toMatchObject({ created: 0, skipped: 1 });
  });

  test('a forged record of our field manager does not prevent a repair by a resync', async () => {
    await place.api.remove(deployment, 'a');
    await record(60);
    expect((await run('resync', 5)).outcomes).toMatchObject({ created: 1, skipped: 0 });
  });
});

describe('while an edit cannot be applied', () => {
  beforeEach(async () => {
    await place.api.patch(deployment, 'a', { metadata: { finalizers: ['other/hold'] } });
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
    await run('audit', 60);
    await run('audit', 1);
  });
  const scaleTo = async (replicas: number, seconds: number): Promise<void> => {
    now += seconds * 1000;
    await place.api.scale(deployment, 'b', replicas);
  };

  test('a repair is reported, and a fight is left to the resync', async () => {
    await scaleTo(4, 60);
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
    const events = await place.api.list(eventType);
    expect(events.map(({ message }) => String(message))).toContainEqual(
      expect.stringContaining('Deployment b: spec.replicas 4 → 1, changed by'),
    );
    await scaleTo(4, 2);
    expect((await run('audit', 1)).outcomes.updated).toBe(0);
    expect((await run('resync', 1)).outcomes.updated).toBe(1);
  });

  test('another edit is applied at once, a second after our own write', async () => {
    for (const replicas of [5, 2, 5]) {
      await place.api.patch(foo, 'f', { spec: { replicas } });
      expect((await run('audit', 1)).outcomes.updated).toBe(1);
      const { spec } = await place.api.get(deployment, 'b');
      expect(spec).toMatchObject({ replicas });
    }
  });

  test('a change that could not be applied at first is no fight, even right after our last write', async () => {
    const { namespace } = place;
    const repair = engine.cluster.faults.add({
      user: engineUser,
      namespace,
      verb: 'patch',
      resource: 'deployments',
      name: 'b',
      effect: { kind: 'status', code: 410 },
    });
    await place.api.patch(foo, 'f', { spec: { replicas: 5 } });
    expect((await run('audit', 1)).outcomes.updated).toBe(0);
    repair();
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
  });
});

describe('no fight is', () => {
  test('a change of another field, seconds after our update', async () => {
    await setImage(60);
    await run('audit', 1);
    await scale(3);
    expect((await run('audit', 1)).outcomes).toMatchObject({ updated: 1, skipped: 0 });
    expect(await faults()).toEqual([]);
  });

  test('a change seconds after an edit of the resource', async () => {
    await place.api.patch(foo, 'f', { spec: { replicas: 2 } });
    await run('audit', 60);
    await scale(3);
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
    expect(await faults()).toEqual([]);
  });

  test('an edit of the same field in the spec, seconds after its repair', async () => {
    await scale(60);
    await run('audit', 1);
    for (const replicas of [5, 2]) {
      await place.api.patch(foo, 'f', { spec: { replicas } });
      expect((await run('audit', 1)).outcomes).toMatchObject({ updated: 1, skipped: 0 });
      expect(await faults()).toEqual([]);
    }
  });

  test('a change seconds after the child was created', async () => {
    await place.api.remove(deployment, 'a');
    await run('audit', 60);
    await scale(3);
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
  });

  test('a change of the same field more than 30 s later', async () => {
    await setImage(60);
    await run('audit', 1);
    await setImage(31);
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
    expect(await faults()).toEqual([]);
  });

  test('an edit of the resource during a fight over one field', async () => {
    await setImage(60);
    await run('audit', 1);
    await setImage(5);
    await run('audit', 1);
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
    await run('audit', 1);
    expect(await faults()).toEqual([]);
  });
});

test('C-6 an autoscaler no longer acts on a target that was deleted repeatedly and then replaced by a foreign one', async () => {
  place = await engine.place(apps);
  await place.api.create(apps[0]!, 'shop', { spec: { image: 'nginx', maxReplicas: 3 } });
  await run('resync', 0);
  for (const replacement of [undefined, foreignDeployment()]) {
    await place.api.remove(deployment, 'shop');
    if (replacement !== undefined) await place.api.create(deployment, 'shop', replacement);
    await run('audit', 2);
  }
  expect(await place.api.list(horizontalPodAutoscaler)).toEqual([]);
});
