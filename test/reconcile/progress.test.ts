import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { condition } from '../scenarios/resources.ts';
import { kindsFor } from '../support/config.ts';
import { listOf, misrouted } from './admission.ts';
import { faultsIn, look } from './desired.ts';
import { type Engine, engineUser } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const apps = kindsFor({ authUrl: 'https://auth.example.com/check', ingressClass: 'nginx' }).filter(
  ({ kind }) => kind === 'ContainerApp',
);
const app = apps[0]!;

const engine = useEngine({ controllers: 'paused' });
afterEach(() => engine.cluster.undisturb());

const place = usePlace(engine);

type Request = Parameters<Parameters<Engine['cluster']['intercept']>[0]>[0];

/** Acts just before each chosen request of the engine. */
function beforeEachOf(chosen: (request: Request) => boolean, act: () => Promise<unknown>): void {
  engine.cluster.intercept(async (request) => {
    if (request.user === engineUser && request.namespace === place.namespace && chosen(request))
      await act();
  });
}

const isWriteOf =
  (resource: string, name: string) =>
  (request: Request): boolean =>
    request.verb === 'patch' && request.resource === resource && request.name === name;

const note = () => ({ metadata: { annotations: { now: randomUUID() } } });

describe('a child that others keep writing', () => {
  beforeEach(async () => {
    await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
    await place.resync();
    await place.api.scale(deployment, 'w', 9);
    await place.api.remove(service, 'w');
  });

  test('delays no other child, and the status names the writer', async () => {
    beforeEachOf(isWriteOf('deployments', 'w'), () =>
      place.api.patch(deployment, 'w', note(), { manager: 'chatty' }),
    );
    const report = await place.resync();
    expect(await place.api.list(service)).toHaveLength(1);
    expect(report.outcomes).toMatchObject({ created: 1, failed: 1 });
    expect(report.failures).toMatchObject([{ reason: 'Conflict' }]);
    const live = await place.api.get(website, 'w');
    expect(condition(live, 'Ready')).toMatchObject({ status: 'False', reason: 'Conflict' });
    expect(condition(live, 'Reconciling')?.message).toContain('Deployment w was changed by chatty');
    expect(place.requests().filter(({ status }) => status === 409)).toHaveLength(5);
    engine.cluster.undisturb();
    await place.resync();
    expect(faultsIn(await look(place.api))).toEqual([]);
    expect(condition(await place.api.get(website, 'w'), 'Ready')?.reason).not.toBe('Conflict');
  });

  test('costs five conflicts, and after each a read of the child and of the resource', async () => {
    beforeEachOf(isWriteOf('deployments', 'w'), () => place.api.patch(deployment, 'w', note()));
    const begun = place.requests().length;
    await place.resync();
    const read = place
      .requests()
      .slice(begun)
      .filter(({ verb }) => verb === 'get');
    expect(read.filter(({ resource }) => resource === 'deployments')).toHaveLength(5);
    expect(read.filter(({ resource }) => resource === 'websites')).toHaveLength(5);
  });
});

test('a resource that others keep annotating is reconciled, and its status is written', async () => {
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  beforeEachOf(
    ({ verb }) => verb !== 'list',
    () => place.api.patch(foo, 'f', note()),
  );
  const report = await place.resync();
  expect(report.failures).toEqual([]);
  expect((await place.api.get(foo, 'f')).status).toMatchObject({
    observedGeneration: 1,
    children: [{ name: 'a' }],
  });
  expect(await place.api.list(eventType)).toHaveLength(1);
});

const endpoints = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [`/p${at}`, [`scope-${at}`]]),
);

test('G-2 twelve Ingresses take one run, although a controller writes the status of each', async () => {
  await place.api.create(app, 'shop', { spec: { image: 'nginx', endpoints: listOf(endpoints) } });
  const loadBalancer = (at: number) => ({
    status: { loadBalancer: { ingress: [{ ip: `10.0.0.${at}` }] } },
  });
  let writes = 0;
  engine.cluster.intercept(async (request) => {
    if (request.user !== engineUser || request.namespace !== place.namespace) return;
    for (const { metadata } of await place.api.list(ingress))
      await place.api.patch(ingress, metadata.name, loadBalancer(++writes % 250), {
        subresource: 'status',
      });
  });
  // A long deadline for a busy machine.
  const report = await place.resync({ kinds: apps, deadline: Date.now() + 600_000 });
  expect(report.failures).toEqual([]);
  expect(misrouted(await place.api.list(ingress), endpoints)).toEqual([]);
});

test('an Ingress that met five conflicts gets another chance in the same run after an edit', async () => {
  await place.api.create(app, 'shop', { spec: { image: 'nginx', endpoints: [{ path: '/a' }] } });
  await place.resync({ kinds: apps });
  const [live] = await place.api.list(ingress);
  const edit = (path: string) => place.api.patch(app, 'shop', { spec: { endpoints: [{ path }] } });
  await edit('/b');
  const { name } = live!.metadata;
  let conflicts = 0;
  beforeEachOf(isWriteOf('ingresses', name), async () => {
    if (conflicts++ < 5) await place.api.patch(ingress, name, note());
  });
  let edits = 0;
  beforeEachOf(isWriteOf('containerapps', 'shop'), async () => {
    if (edits++ === 0) await edit('/c');
  });
  const report = await place.resync({ kinds: apps });
  expect(conflicts).toBeGreaterThan(5);
  expect(report.failures).toEqual([]);
  expect(misrouted(await place.api.list(ingress), { '/c': [] })).toEqual([]);
});

describe('W-1 a write whose response is lost', () => {
  test.each([
    ['repair', 'Repaired', () => place.api.scale(deployment, 'w', 9)],
    [
      'new image',
      'ImageUpdated',
      () => place.api.patch(website, 'w', { spec: { imageTag: 'v2' } }),
    ],
    ['recreation', 'Repaired', () => place.api.remove(deployment, 'w')],
  ])('is reported like any other: a %s', async (_, reason, act) => {
    await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
    await place.resync();
    await act();
    engine.cluster.faults.add({
      user: engineUser,
      namespace: place.namespace,
      verb: 'patch',
      resource: 'deployments',
      nth: 1,
      effect: { kind: 'drop', when: 'after' },
    });
    const report = await place.resync();
    expect(report.outcomes.created + report.outcomes.updated).toBe(1);
    expect(report.failures).toEqual([]);
    const events = (await place.api.list(eventType)) as unknown as readonly { reason: string }[];
    expect(events.filter((event) => event.reason === reason)).toHaveLength(1);
  });

  test('is not reported if it was not executed', async () => {
    await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
    await place.resync();
    await place.api.scale(deployment, 'a', 9);
    engine.cluster.faults.add({
      user: engineUser,
      namespace: place.namespace,
      verb: 'patch',
      resource: 'deployments',
      nth: 1,
      effect: { kind: 'drop', when: 'before' },
    });
    // Another writer comes before the second attempt.
    let tries = 0;
    engine.cluster.intercept(async (request) => {
      if (request.user !== engineUser || !isWriteOf('deployments', 'a')(request)) return;
      if (++tries === 2) await place.api.scale(deployment, 'a', 8);
    });
    const report = await place.resync();
    expect(report.outcomes.updated).toBe(1);
    const [repaired] = (await place.api.list(eventType)).filter(
      (event) => (event as unknown as { reason: string }).reason === 'Repaired',
    ) as unknown as readonly { message: string }[];
    expect(repaired?.message).toContain('8 → 1');
  });
});
