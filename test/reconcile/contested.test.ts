import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types.ts';
import { foo } from '../../shared/kinds/foo.ts';
import { faultsIn, look } from './desired.ts';
import { type Engine, openEngine, type Place } from './engine.ts';

let now = new Date('2026-01-01T00:00:00Z').getTime();
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ controllers: 'paused', clock: () => new Date(now) });
});
afterAll(() => engine.stop());

let place: Place;
beforeEach(async () => {
  place = await engine.place();
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  await run('tick', 0);
  await run('tick', 60);
});

/** So many seconds later. */
function run(trigger: 'tick' | 'audit', seconds: number) {
  now += seconds * 1000;
  return place.tick({ trigger });
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

describe('a field set again within 30 s of its repair', () => {
  beforeEach(async () => {
    await setImage(60);
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
    await setImage(5);
  });

  test('is left alone by audit events, and the status names the rival', async () => {
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

  test('is repaired by the tick, once', async () => {
    expect((await run('tick', 1)).outcomes.updated).toBe(1);
    expect(await faults()).toEqual([]);
    await setImage(3);
    expect((await run('audit', 1)).outcomes).toMatchObject({ updated: 0, skipped: 1 });
  });

  test('costs an audit event one write at most while the fight goes on', async () => {
    const begun = place.requests().length;
    for (let rounds = 0; rounds < 5; rounds++) {
      await run('audit', 1);
      await setImage(1);
    }
    const written = place.requests().slice(begun);
    expect(
      written.filter(({ resource, verb }) => resource === 'deployments' && verb === 'patch'),
    ).toEqual([]);
    expect(written.filter(({ subresource }) => subresource === 'status')).toHaveLength(1);
  });
});

describe('what is no fight', () => {
  test('another field, seconds after our own update', async () => {
    await setImage(60);
    await run('audit', 1);
    await scale(3);
    expect((await run('audit', 1)).outcomes).toMatchObject({ updated: 1, skipped: 0 });
    expect(await faults()).toEqual([]);
  });

  test('a field changed seconds after an edit of the resource', async () => {
    await place.api.patch(foo, 'f', { spec: { replicas: 2 } });
    await run('audit', 60);
    await scale(3);
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
    expect(await faults()).toEqual([]);
  });

  test('the same field, wanted otherwise seconds after its repair', async () => {
    await scale(60);
    await run('audit', 1);
    for (const replicas of [5, 2]) {
      await place.api.patch(foo, 'f', { spec: { replicas } });
      expect((await run('audit', 1)).outcomes).toMatchObject({ updated: 1, skipped: 0 });
      expect(await faults()).toEqual([]);
    }
  });

  test('a field changed seconds after the child was made', async () => {
    await place.api.remove(deployment, 'a');
    await run('audit', 60);
    await scale(3);
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
  });

  test('the same field, more than 30 s later', async () => {
    await setImage(60);
    await run('audit', 1);
    await setImage(31);
    expect((await run('audit', 1)).outcomes.updated).toBe(1);
    expect(await faults()).toEqual([]);
  });

  test('an edit of the resource while a field is fought over', async () => {
    await setImage(60);
    await run('audit', 1);
    await setImage(5);
    await run('audit', 1);
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
    await run('audit', 1);
    expect(await faults()).toEqual([]);
  });
});
