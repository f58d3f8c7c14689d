import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret, service } from '../../shared/kinds/child-types/core.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { application } from '../../systems/application.ts';
import { child, greetingKey } from '../scenarios/applications.ts';
import { base64, dataOf } from '../scenarios/databases.ts';
import { condition } from '../scenarios/resources.ts';
import { type Engine, engineUser, isWriteRequest } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

vi.setConfig({ testTimeout: 60_000 });

const engine = useEngine({ controllers: 'paused' });
afterEach(() => engine.cluster.undisturb());

const place = usePlace(engine);
beforeEach(async () => {
  await place.api.create(application, 'shop', { spec: {} });
});

type Fault = Parameters<Engine['cluster']['faults']['add']>[0];

const resync = () => place.resync({ kinds: [application] });
const fail = (fault: Omit<Fault, 'user' | 'namespace'>) =>
  engine.cluster.faults.add({ ...fault, user: engineUser, namespace: place.namespace });
const writes = () => place.requests().filter(isWriteRequest);

/** Expects one complete child of each type with the greeting, and a status that lists them. */
async function expectWhole(greeting = 'World'): Promise<void> {
  for (const [type, name] of [
    [secret, child.secret],
    [deployment, child.deployment],
    [service, child.service],
  ] as const)
    expect(await place.api.list(type)).toMatchObject([{ metadata: { name } }]);
  const live = await place.api.get(secret, child.secret);
  expect(dataOf(live)[greetingKey]).toBe(base64(greeting));
  const { status } = await place.api.get(application, 'shop');
  expect(status?.children).toHaveLength(3);
  const begun = place.requests().length;
  await resync();
  expect(place.requests().slice(begun).filter(isWriteRequest)).toEqual([]);
}

describe('A-6 if children cannot be read', () => {
  test('once, they are listed again and the run completes', async () => {
    fail({ verb: 'list', resource: 'deployments', nth: 1, effect: { kind: 'status', code: 500 } });
    expect((await resync()).failures).toEqual([]);
    await expectWhole();
  });

  test.each([secret, deployment, service].map((type) => [type.plural, type] as const))(
    'for a whole run (%s), no child is written, and the next run completes',
    async (resource, type) => {
      fail({ verb: 'list', resource, effect: { kind: 'status', code: 500 } });
      const { incomplete } = await resync();
      expect(incomplete).toMatchObject([{ kind: groupResource(type), ofChildren: true }]);
      expect(writes().map((one) => one.resource)).not.toContain(resource);
      expect(await place.api.list(type)).toEqual([]);
      engine.cluster.undisturb();
      await resync();
      await expectWhole();
    },
  );

  test('by name after a child lost its labels, none is created, and the next run completes', async () => {
    await resync();
    await place.api.patch(deployment, child.deployment, { metadata: { labels: null } });
    await place.api.scale(deployment, child.deployment, 5);
    const before = await place.api.get(deployment, child.deployment);
    fail({ verb: 'get', resource: 'deployments', effect: { kind: 'status', code: 500 } });
    const { failures } = await resync();
    expect(failures).toHaveLength(1);
    const after = await place.api.get(deployment, child.deployment);
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    engine.cluster.undisturb();
    await resync();
    expect((await place.api.get(deployment, child.deployment)).spec).toMatchObject({ replicas: 1 });
    await expectWhole();
  });
});

const effects: Readonly<Record<string, Pick<Fault, 'effect' | 'times'>>> = {
  'is refused': { effect: { kind: 'status', code: 410 } },
  'meets a server error': { effect: { kind: 'status', code: 500 }, times: 1 },
  'loses its connection before it arrives': { effect: { kind: 'drop', when: 'before' }, times: 1 },
  'loses its response': { effect: { kind: 'drop', when: 'after' }, times: 1 },
  'loses every response': { effect: { kind: 'drop', when: 'after' } },
};

describe.each(['secrets', 'deployments', 'services', 'applications'])(
  'A-7 if a write of %s',
  (resource) => {
    test.each(Object.keys(effects))(
      '%s during the creation, the next run completes it',
      async (how) => {
        fail({ ...effects[how]!, resource, verb: 'patch' });
        await resync();
        engine.cluster.undisturb();
        await resync();
        await expectWhole();
        const events = (await place.api.list(eventType)) as unknown as readonly { type: string }[];
        const isReported = how === 'is refused' && resource !== 'applications';
        expect(events.map(({ type }) => type)).toEqual(isReported ? ['Warning'] : []);
      },
    );
  },
);

describe('A-5 while the Secret cannot be written', () => {
  beforeEach(resync);

  test.each([
    ['because of a server error', { kind: 'status', code: 500 }],
    ['because of a refusal', { kind: 'status', code: 410 }],
    ['because of a lost connection', { kind: 'drop', when: 'before' }],
  ] as const)(
    '%s, the Deployment is not written either; then both are, in order',
    async (_, effect) => {
      const before = await place.api.get(deployment, child.deployment);
      await place.api.patch(application, 'shop', { spec: { greeting: 'Mars', amountPods: 2 } });
      fail({ verb: 'patch', resource: 'secrets', effect });
      const { outcomes } = await resync();
      expect(outcomes).toMatchObject({ failed: 1, skipped: 1, updated: 0 });
      const after = await place.api.get(deployment, child.deployment);
      expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
      expect(condition(await place.api.get(application, 'shop'), 'Ready')?.status).toBe('False');
      engine.cluster.undisturb();
      const begun = place.requests().length;
      await resync();
      const order = place.requests().slice(begun).filter(isWriteRequest);
      expect(order.map(({ resource }) => resource).slice(0, 2)).toEqual(['secrets', 'deployments']);
      await expectWhole('Mars');
    },
  );

  test('because it has changed, it is planned again and written before the Deployment', async () => {
    await place.api.patch(application, 'shop', { spec: { greeting: 'Mars' } });
    let seen = 0;
    engine.cluster.intercept(async ({ user, verb, resource }) => {
      if (user !== engineUser || verb !== 'patch' || resource !== 'secrets' || seen++ > 0) return;
      await place.api.patch(secret, child.secret, { data: { [greetingKey]: base64('Evil') } });
    });
    expect((await resync()).failures).toEqual([]);
    await expectWhole('Mars');
  });

  test('because the greeting changes once more, only the newest greeting is written', async () => {
    await place.api.patch(application, 'shop', { spec: { greeting: 'Mars' } });
    let seen = 0;
    engine.cluster.intercept(async ({ user, verb, resource }) => {
      const isFirst = user === engineUser && verb === 'patch' && resource === 'deployments';
      if (isFirst && seen++ === 0)
        await place.api.patch(application, 'shop', { spec: { greeting: 'Venus' } });
    });
    await resync();
    await expectWhole('Venus');
  });
});
