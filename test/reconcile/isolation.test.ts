import { beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { application } from '../../systems/application.ts';
import { foo } from '../../systems/foo.ts';
import { type Around, eachCall } from './calls.ts';
import { faultsIn, look } from './desired.ts';
import { engineUser, isWriteRequest, type Place } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });

const place = usePlace(engine);

const birth = (name: string, spec: JsonObject = { deploymentName: name, replicas: 1 }) =>
  place.api.create(foo, name, { spec });
const births = ({ api }: Place, all: readonly string[]) =>
  Promise.all(
    all.map((name) => api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } })),
  );
const names = ['f0', 'f1', 'f2', 'f3', 'f4', 'f5'];

describe('C-11 one bad resource', () => {
  test.each([
    { reason: 'whose requests are all refused', concurrency: 8 },
    { reason: 'that holds the only slot', concurrency: 1 },
  ])('$reason delays no other', async ({ concurrency }) => {
    const place = await engine.place();
    await births(place, ['bad', ...names]);
    const { namespace } = place;
    const repair = engine.cluster.faults.add({
      user: engineUser,
      namespace,
      name: 'bad',
      resource: 'deployments',
      effect: { kind: 'status', code: 410 },
    });
    const report = await place.resync({ concurrency });
    repair();
    expect(faultsIn(await look(place.api))).toEqual(['Foo bad: Deployment bad is missing']);
    expect(report.failures).toHaveLength(1);
    expect(report.failures[0]).toMatchObject({
      key: `foos.example.com ${namespace}/bad`,
      reason: expect.stringMatching(/^\w+$/),
      message: expect.stringContaining('Deployment'),
    });
    const { status } = await place.api.get(foo, 'bad');
    expect(status?.conditions).toMatchObject([{ type: 'Ready' }, { type: 'Stalled' }]);
    await place.resync();
    expect(faultsIn(await look(place.api))).toEqual([]);
  });

  test('that the server refuses is reported, and tried again at the next resync', async () => {
    const place = await engine.place([foo, application]);
    // The data of a Secret may have at most 1 MiB.
    await place.api.create(application, 'bad', { spec: { greeting: 'x'.repeat(2 ** 20 + 1) } });
    await births(place, names);
    const report = await place.resync();
    expect(await place.api.list(deployment)).toHaveLength(names.length);
    expect(await place.api.list(secret)).toEqual([]);
    expect(report.failures).toMatchObject([{ reason: 'Invalid' }]);
    const { status } = await place.api.get(application, 'bad');
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Stalled', reason: 'Invalid' }),
    );
    const begun = place.requests().length;
    await place.resync();
    const written = place.requests().slice(begun).filter(isWriteRequest);
    expect(written).toMatchObject([{ resource: 'secrets', status: 422 }]);
  });
});

describe('the deadline', () => {
  test('that has passed lets nothing begin, and the report names every resource', async () => {
    for (const name of names) await birth(name);
    const report = await place.resync({ deadline: Date.now() - 1 });
    expect(report.undone).toHaveLength(names.length);
    expect(place.requests().filter(isWriteRequest)).toEqual([]);
  });

  test.each([1, 3, 5])(
    'that passes after %i resources leaves the others to the next run, and the report names them',
    async (done) => {
      for (const name of names) await birth(name);
      const begun = Date.now();
      let statuses = 0;
      const counted: Around = async (what, call) => {
        const response = await call();
        if (what.startsWith('apply Foo/status')) statuses++;
        return response;
      };
      const report = await place.resync({
        concurrency: 1,
        now: () => new Date(begun + statuses * 1000),
        deadline: begun + done * 1000 - 500,
        through: (port) => eachCall(port, counted),
      });
      expect(report.resources.reconciled).toBe(done);
      const left = names.filter((name) =>
        report.undone.includes(`foos.example.com ${place.namespace}/${name}`),
      );
      expect(left).toHaveLength(names.length - done);
      expect(faultsIn(await look(place.api))).toEqual(
        left.map((name) => `Foo ${name}: Deployment ${name} is missing`),
      );
    },
  );
});

describe('the order of resources', () => {
  beforeEach(async () => {
    for (const name of names) await birth(name);
    await place.resync();
    await place.resync();
    for (const name of names) await place.api.scale(deployment, name, 5);
  });

  const written = async (now: Date): Promise<readonly string[]> => {
    const order: string[] = [];
    const recorded: Around = (what, call) => {
      const [, name] = /^apply Deployment (.*)$/.exec(what) ?? [];
      if (name !== undefined) order.push(name);
      return call();
    };
    await place.resync({
      concurrency: 1,
      now: () => now,
      deadline: now.getTime() + 60_000,
      through: (port) => eachCall(port, recorded),
    });
    return order;
  };

  test('alternates between edited resources and the others', async () => {
    await place.api.patch(foo, 'f4', { spec: { replicas: 2 } });
    await place.api.patch(foo, 'f2', { spec: { replicas: 2 } });
    const order = await written(new Date());
    expect([order[0], order[2]].toSorted()).toEqual(['f2', 'f4']);
    expect(order.toSorted()).toEqual(names);
  });
});
