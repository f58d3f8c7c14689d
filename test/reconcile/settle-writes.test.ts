import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { maxConflicts } from '../../shared/resource/refresh.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { type Around, eachCall } from './calls.ts';
import { faultsIn, look } from './desired.ts';
import { engineUser } from './engine.ts';
import { requestCounts } from './request-counts.ts';
import { settlingFor } from './settling.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });

const place = usePlace(engine);
afterEach(() => engine.cluster.undisturb());

type Act = () => Promise<unknown>;

const idle: Act = async () => undefined;

/** Lets the controllers finish their work. */
async function control(): Promise<void> {
  const { controllers } = engine.cluster;
  controllers.resume();
  await controllers.settled();
  controllers.pause();
}

/** Settles while others act in each pause. */
function settling(pauses: readonly Act[], seconds = 15) {
  let at = 0;
  return settlingFor(seconds, async () => pauses[at++]?.());
}

const createFoo = () => place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
const fooNow = () => place.api.get(foo, 'f');
const edit =
  (spec: object): Act =>
  () =>
    place.api.patch(foo, 'f', { spec: { ...spec } });
const events = async () => (await place.api.list(eventType)).map(({ reason }) => reason);

/** Lists the writes and reads by name of all runs. */
const requests = () =>
  place
    .requests()
    .filter(({ verb, path }) => verb !== 'list' && !path.includes('dryRun=All'))
    .map(({ verb, resource, subresource, status }) =>
      [verb, subresource === '' ? resource : `${resource}/${subresource}`, status].join(' '),
    );
const statusWrites = () => requests().filter((one) => one === 'patch foos/status 200').length;

const progressing = {
  observedGeneration: 1,
  children: [{ kind: 'Deployment', name: 'a' }],
  conditions: [
    { type: 'Ready', status: 'False', reason: 'Progressing' },
    { type: 'Reconciling', status: 'True' },
  ],
};
const ready = {
  observedGeneration: 1,
  children: [{ kind: 'Deployment', name: 'a' }],
  conditions: [{ type: 'Ready', status: 'True' }],
};

describe('a cold run', () => {
  test.each([
    ['at the first pass', [control], 2],
    ['at the third pass', [idle, idle, control], 4],
  ])(
    'of resources that become Ready %s writes each child once and each status twice',
    async (_, pauses, lists) => {
      const count = 40;
      for (let at = 0; at < count; at++)
        await place.api.create(website, `w${at}`, {
          spec: { imageTag: 'v1', nodePort: place.nodePort() },
        });
      engine.cluster.requests.reset();
      const report = await place.resync({ kinds: [website], ...settling(pauses) });
      expect(requestCounts(engine)).toEqual({
        'list websites': lists,
        'list deployments': lists,
        'list services': lists,
        'patch deployments': count,
        'patch services': count,
        'patch websites/status': 2 * count,
      });
      expect(report).toMatchObject({
        resources: { total: count, unchanged: 0, reconciled: count },
        outcomes: { created: 2 * count, updated: 0, failed: 0, skipped: 0 },
        statusWrites: 2 * count,
        failures: [],
        undone: [],
      });
      for (const { status } of await place.api.list(website))
        expect(status).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] });
    },
  );
});

describe('the status of a new resource', () => {
  beforeEach(createFoo);

  test.each([
    ['and again once it is Ready', 15, [idle, control], ready, 2],
    ['but not again while it settles', 4, [], progressing, 1],
    ['even without settling', 0, [], progressing, 1],
  ])(
    'is written with its children, %s, with one Event',
    async (_, seconds, pauses, status, writes) => {
      const report = await place.resync(settling(pauses, seconds));
      expect((await fooNow()).status).toMatchObject(status);
      expect(statusWrites()).toBe(writes);
      expect(await events()).toEqual(['Synced']);
      expect(report).toMatchObject({
        failures: [],
        undone: [],
        outcomes: { created: 1 },
        statusWrites: writes,
      });
    },
  );

  test('is written even if there is no time to settle', async () => {
    const deadline = Date.now() + 1100;
    const report = await place.resync({ ...settling([]), deadline });
    expect(report.undone).toEqual([]);
    expect((await fooNow()).status).toMatchObject(progressing);
    expect(requests()).toEqual([
      'patch deployments 201',
      'create events 201',
      'patch foos/status 200',
    ]);
  });

  test('is written even if the run has more work than time', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `more-${at}`);
    for (const name of names)
      await place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
    let passed = 0;
    const slow: Around = (what, call) => {
      if (what.startsWith('apply Deployment')) passed += 10_000;
      return call();
    };
    const report = await place.resync({
      ...settling([]),
      concurrency: 1,
      now: () => new Date(Date.now() + passed),
      deadline: Date.now() + 100_000,
      through: (port) => eachCall(port, slow),
    });
    const begun = (await place.api.list(deployment)).map(({ metadata }) => metadata.name);
    const all = await place.api.list(foo);
    const reported = all.filter(({ status }) => status?.children !== undefined);
    expect(reported.map(({ spec }) => (spec as { deploymentName: string }).deploymentName)).toEqual(
      begun,
    );
    expect(begun.length).toBeGreaterThan(5);
    expect(report.undone).toHaveLength(all.length - begun.length);
  });

  test('is written even if no later list succeeds', async () => {
    let isBroken = false;
    const broken: Around = (what, call) => {
      if (isBroken && what.startsWith('list ')) throw new Error('no list');
      return call();
    };
    const breakLists = async () => {
      isBroken = true;
    };
    const report = await place.resync({
      ...settling([breakLists]),
      through: (port) => eachCall(port, broken),
    });
    expect(report.statusWrites).toBe(1);
    expect((await fooNow()).status).toMatchObject(progressing);
  });

  test('is written by a run that finds its children up to date', async () => {
    await place.resync();
    await place.api.patch(foo, 'f', { status: { conditions: null } }, { subresource: 'status' });
    await place.api.create(foo, 'g', { spec: { deploymentName: 'g', replicas: 1 } });
    const observe = async () => expect((await fooNow()).status).toMatchObject(progressing);
    const report = await place.resync(settling([observe]));
    expect(report.statusWrites).toBe(2);
  });

  test('is written before the run settles, so that Ready does not stay during a repair', async () => {
    await control();
    await place.resync();
    await control();
    await place.resync();
    await place.api.scale(deployment, 'a', 0);
    await control();
    const before = statusWrites();
    const seen: unknown[] = [];
    const observe = async () => {
      seen.push((await fooNow()).status?.conditions?.[0]?.status);
      await control();
    };
    await place.resync(settling([observe]));
    expect(seen).toEqual(['False']);
    expect((await fooNow()).status).toMatchObject(ready);
    expect(statusWrites() - before).toBe(2);
  });
});

test('in a long cold run, each status is written before the next resource is begun', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `f${at}`);
  for (const name of names)
    await place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  const writes: string[] = [];
  const watch: Around = (what, call) => {
    if (what.startsWith('apply ')) writes.push(what);
    return call();
  };
  await place.resync({ concurrency: 1, through: (port) => eachCall(port, watch) });
  expect(writes).toHaveLength(2 * names.length);
  for (const [at, what] of writes.entries())
    if (at % 2 === 1) expect(what).toBe(writes[at - 1]?.replace('Deployment', 'Foo/status'));
});

describe('while a run waits for a new resource to become Ready,', () => {
  beforeEach(createFoo);

  test('an edit is applied in the next pass, and its status written', async () => {
    await place.resync(settling([edit({ deploymentName: 'b' }), control]));
    expect(requests()).toEqual([
      'patch deployments 201',
      'create events 201',
      'patch foos/status 200',
      'patch deployments 201',
      'get foos 200',
      'delete deployments 200',
      'create events 201',
      'patch foos/status 200',
      'patch foos/status 200',
    ]);
    expect(faultsIn(await look(place.api))).toEqual([]);
    expect((await fooNow()).status).toMatchObject({
      ...ready,
      observedGeneration: 2,
      children: [{ name: 'b' }],
    });
  });

  test('an edit after the last pass is found by the status write, and applied', async () => {
    engine.cluster.intercept(async ({ user, namespace, subresource }) => {
      if (user !== engineUser || namespace !== place.namespace || subresource !== 'status') return;
      engine.cluster.undisturb();
      await edit({ deploymentName: 'b' })();
    });
    await place.resync(settling([], 2));
    expect(requests().slice(2, 4)).toEqual(['patch foos/status 409', 'get foos 200']);
    expect(faultsIn(await look(place.api))).toEqual([]);
    expect((await fooNow()).status).toMatchObject({ observedGeneration: 2 });
  });

  test('edits after the last pass that change no child are still reported', async () => {
    engine.cluster.intercept(async ({ user, namespace, subresource }) => {
      if (user !== engineUser || namespace !== place.namespace || subresource !== 'status') return;
      engine.cluster.undisturb();
      await edit({ deploymentName: 'b' })();
      await edit({ deploymentName: 'a' })();
    });
    await place.resync(settling([], 2));
    expect((await fooNow()).status).toMatchObject({ ...progressing, observedGeneration: 3 });
  });

  test('a child that lost its labels is found through the status, also after a rename', async () => {
    const strip = { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } };
    await place.resync(
      settling([
        async () => {
          await place.api.patch(deployment, 'a', strip);
          await edit({ deploymentName: 'b' })();
        },
      ]),
    );
    expect((await place.api.list(deployment)).map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  test('a child that lost its labels is found through the status after another run applied a rename', async () => {
    const strip = { metadata: { labels: { 'app.kubernetes.io/managed-by': null } } };
    await place.resync(
      settling([
        async () => {
          await place.api.patch(deployment, 'a', strip);
          await edit({ deploymentName: 'b' })();
          await place.resync();
        },
      ]),
    );
    expect((await place.api.list(deployment)).map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  test('a deletion that others delay ends the wait', async () => {
    const finalizers = { metadata: { finalizers: ['example.org/kept'] } };
    await place.api.patch(foo, 'f', finalizers);
    await place.resync(settling([() => place.api.remove(foo, 'f')]));
    expect(statusWrites(), 'only the one in its turn').toBe(1);
    await place.api.patch(foo, 'f', { metadata: { finalizers: null } });
  });

  test('a deletion ends the wait', async () => {
    const report = await place.resync(settling([() => place.api.remove(foo, 'f')]));
    expect(report).toMatchObject({ failures: [], undone: [], statusWrites: 1 });
  });

  test('a suspension is reported, with the children', async () => {
    const annotations = { 'serverless-reconciler/suspend': 'true' };
    await place.resync(settling([() => place.api.patch(foo, 'f', { metadata: { annotations } })]));
    expect(statusWrites()).toBe(2);
    const { status } = await fooNow();
    expect(status?.conditions?.map(({ type }) => type).toSorted()).toEqual([
      'Ready',
      'Reconciling',
      'Suspended',
    ]);
    expect(status).toMatchObject({ children: [{ name: 'a' }] });
  });

  test.each([
    ['scales', () => place.api.scale(deployment, 'a', 5)],
    ['deletes', () => place.api.remove(deployment, 'a')],
  ])(
    'another writer that %s a child in each pause is reverted once, with one Event',
    async (_, fight) => {
      const meddle = () => fight().catch(() => undefined);
      await place.resync(settling([meddle, meddle, meddle, meddle]));
      expect(requests().filter((one) => one.startsWith('patch deployments'))).toHaveLength(2);
      expect((await events()).toSorted()).toEqual(['Repaired', 'Synced']);
      expect((await fooNow()).status).toMatchObject({ conditions: [{ reason: 'Contested' }, {}] });
    },
  );

  test('deliveries about a child that is deleted each time create it only once', async () => {
    const deliver = async () => {
      await place.api.remove(deployment, 'a').catch(() => undefined);
      await place.resync({ trigger: 'audit' });
    };
    await place.resync(
      settling([
        async () => {
          for (let round = 0; round < 6; round++) await deliver();
        },
      ]),
    );
    expect(requests().filter((one) => one === 'patch deployments 201')).toHaveLength(2);
    expect((await events()).toSorted()).toEqual(['Repaired', 'Synced']);
  });

  test.each(['resync', 'request', 'audit'] as const)(
    'another run writes nothing (%s)',
    async (trigger) => {
      const other = () => place.resync({ trigger });
      await place.resync(settling([other, control]));
      expect(requests()).toEqual([
        'patch deployments 201',
        'create events 201',
        'patch foos/status 200',
        'patch foos/status 200',
      ]);
      expect((await fooNow()).status).toMatchObject(ready);
    },
  );

  test("another run's status write between read and write costs one more read", async () => {
    let looks = 0;
    const overtake: Around = async (what, call) => {
      const response = await call();
      if (what !== 'list foos' || ++looks < 2) return response;
      await place.resync();
      return response;
    };
    await place.resync({ ...settling([control]), through: (port) => eachCall(port, overtake) });
    expect(statusWrites(), 'one by each run').toBe(2);
    expect(requests().slice(-2)).toEqual(['patch foos/status 409', 'get foos 200']);
  });

  test('a process that crashes has written the status, and the Event is posted once', async () => {
    await expect(
      place.resync(
        settling([
          async () => {
            throw new Error('the process is gone');
          },
        ]),
      ),
    ).rejects.toThrow('gone');
    expect((await fooNow()).status).toMatchObject(progressing);
    await place.resync();
    expect(statusWrites()).toBe(1);
    expect(await events()).toEqual(['Synced']);
  });
});

test('a run tries again what it gave up because of conflicts', async () => {
  await createFoo();
  await place.resync();
  await control();
  await place.resync();
  const { spec } = await place.api.get(deployment, 'a');
  await place.api.patch(deployment, 'a', { spec: { replicas: 5 } });
  let conflicts = 0;
  engine.cluster.intercept(async ({ user, verb, resource, path }) => {
    const isWrite = user === engineUser && verb === 'patch' && !path.includes('dryRun');
    if (!isWrite || resource !== 'deployments' || conflicts === maxConflicts) return;
    const status = { observedGeneration: 100 + ++conflicts };
    await place.api.patch(deployment, 'a', { status }, { subresource: 'status' });
  });
  const report = await place.resync(settling([control, control]));
  expect(conflicts).toBe(maxConflicts);
  expect((await place.api.get(deployment, 'a')).spec).toEqual(spec);
  expect(report.outcomes).toMatchObject({ updated: 1, failed: 0 });
  expect(await fooNow()).toMatchObject({ status: ready });
});
