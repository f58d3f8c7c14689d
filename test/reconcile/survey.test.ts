import { beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { defaultIdentity as identity } from '../../shared/identity.ts';
import { weightOf } from '../../shared/json.ts';
import type { Child } from '../../shared/kinds/child.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { configMap, secret } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { childLabels, keyOfReference } from '../../shared/plan/observed/world.ts';
import type { NamespaceCounts } from '../../shared/plan/pruning.ts';
import { survey } from '../../shared/resync/survey.ts';
import type { Survey } from '../../shared/resync/survey-result.ts';
import type { Area } from '../../shared/run/area.ts';
import {
  type MemoryBudget,
  openMemory,
  overBudget,
  weightOfChild,
} from '../../shared/run/memory-budget.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { controllerOf } from '../scenarios/api.ts';
import { shop } from '../support/shop.ts';
import { team } from '../support/team.ts';
import { eachCall } from './calls.ts';
import { type RunParts, runWith } from './run-with.ts';
import { outdateStatus } from './step-world.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo, website, shop, team]);
const place = usePlace(world);
let calls: string[];
let during: (what: string) => unknown;
beforeEach(async () => {
  calls = [];
  during = () => undefined;
});

const cluster = (): Cluster =>
  eachCall(world.run.cluster, async (what, call) => {
    calls.push(what);
    await during(what);
    return call();
  });
const areaOf = (kinds: readonly Kind[], over: Partial<Area> = {}): Area => ({
  kinds,
  namespaces: [place.namespace],
  name: undefined,
  ...over,
});

interface How {
  readonly kinds?: readonly Kind[];
  readonly uids?: ReadonlySet<string>;
  readonly run?: Partial<RunParts>;
}
const surveyed = ({ kinds = [foo], uids, run }: How = {}): Promise<Survey> =>
  survey(runWith(world.run, { cluster: cluster(), ...run }), [
    areaOf(kinds, uids === undefined ? {} : { uids }),
  ]);

const named = ({ work }: Survey) => work.map(({ resource }) => resource.name);
const create = (name: string, deploymentName = name) =>
  place.api.create(foo, name, { spec: { deploymentName, replicas: 1 } });
const suspend = (name: string) =>
  place.api.patch(foo, name, {
    metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
  });
/** Creates two Foos that are up to date. */
async function settled(): Promise<void> {
  for (const name of ['f', 'g']) await create(name);
  for (let resyncs = 0; resyncs < 2; resyncs++) await place.resync({ kinds: [foo] });
}
const uidOf = async (name: string) => (await place.api.get(foo, name)).metadata.uid;
const refusal = (code: number) => new KubeError('list', { code, status: {} });

describe('the resources of an area', () => {
  test('need work only if there is a write or a report, and are all counted', async () => {
    await settled();
    const idle = await surveyed();
    expect(idle).toMatchObject({ work: [], resources: 2, unkept: [], incomplete: [] });
    expect(idle.idle).toEqual({ suspended: 0, deleting: 0 });
    expect(counted(idle.namespaces)).toEqual({ [place.namespace]: [2, 0] });
    await place.api.scale(deployment, 'g', 3);
    const found = await surveyed();
    expect(named(found)).toEqual(['g']);
    const [{ children, reads, absent } = expect.fail()] = found.work;
    expect([...children.values()]).toMatchObject([{ name: 'g' }]);
    expect([reads, absent]).toEqual([new Map(), new Set()]);
    expect(found.resources).toBe(2);
  });

  test('need work if only the status is outdated', async () => {
    await settled();
    await outdateStatus(place, 'f');
    expect(named(await surveyed())).toEqual(['f']);
  });

  test('C-14 are counted while suspended, and need work until their status reports that', async () => {
    await settled();
    await suspend('f');
    expect(await surveyed()).toMatchObject({ idle: { suspended: 1, deleting: 0 } });
    expect(named(await surveyed())).toEqual(['f']);
    await place.resync({ kinds: [foo] });
    const found = await surveyed();
    expect(found).toMatchObject({ work: [], resources: 2, idle: { suspended: 1 } });
  });

  test('are counted while they are being deleted, and need no work', async () => {
    await settled();
    await place.api.patch(foo, 'f', { metadata: { finalizers: ['example.org/kept'] } });
    await place.api.remove(foo, 'f');
    const found = await surveyed();
    expect(found).toMatchObject({ work: [], resources: 2, idle: { suspended: 0, deleting: 1 } });
  });

  test('need work if the code of their kind throws, which their run reports', async () => {
    await settled();
    const desired = (): never => {
      throw new Error('broken');
    };
    expect(named(await surveyed({ kinds: [{ ...foo, desired }] }))).toEqual(['f', 'g']);
  });

  test('are, in a settling run, only those that it waits for, even if they are up to date', async () => {
    await settled();
    const found = await surveyed({
      uids: new Set([await uidOf('g')]),
      run: { trigger: 'later' },
    });
    expect(named(found)).toEqual(['g']);
    expect(found.resources).toBe(1);
    expect([...found.work[0]!.children.values()]).toMatchObject([{ name: 'g' }]);
  });
});

/** Counts the resources of each namespace, and those with unrequested deletions. */
const counted = (counts: NamespaceCounts) =>
  Object.fromEntries(
    [...counts].map(([at, { resources, deletions }]) => [at, [resources, deletions.size]]),
  );

describe('C-5 deletions', () => {
  const renamed = (name: string) =>
    place.api.patch(foo, name, { spec: { deploymentName: `${name}-new` } });
  /** A kind that desires no children any more, as with a bug. */
  const forgetful: Kind = { ...foo, desired: () => [] };

  test('are counted by namespace for resources that were not edited', async () => {
    await settled();
    const { namespaces } = await surveyed({ kinds: [forgetful] });
    expect(counted(namespaces)).toEqual({ [place.namespace]: [2, 2] });
  });

  test('that an edit requests are not counted', async () => {
    await settled();
    await renamed('f');
    expect(counted((await surveyed()).namespaces)).toEqual({ [place.namespace]: [2, 0] });
    const { namespaces } = await surveyed({ kinds: [forgetful] });
    expect(counted(namespaces)).toEqual({ [place.namespace]: [2, 1] });
  });

  test('of a suspended resource are not counted', async () => {
    await settled();
    await suspend('f');
    const { namespaces } = await surveyed({ kinds: [forgetful] });
    expect(counted(namespaces)).toEqual({ [place.namespace]: [2, 1] });
  });

  test('count for a cluster-scoped resource in each namespace with a child of it', async () => {
    const { namespace } = place;
    const owner = await world.admin.create(team, namespace, { spec: { guestIn: [namespace] } });
    const subject = { identity, kind: team, resource: { name: namespace } };
    const metadata = { labels: childLabels(subject), ownerReferences: [controllerOf(owner)] };
    await place.api.create(configMap, `team-${namespace}`, { metadata });
    const whole = areaOf([team], { namespaces: undefined, name: namespace });
    const countsOf = async (kind: Kind) =>
      (await survey(world.run, [{ ...whole, kinds: [kind] }])).namespaces;
    expect(counted(await countsOf(team))).toEqual({ '': [1, 0], [namespace]: [1, 0] });
    await world.admin.patch(
      team,
      namespace,
      { status: { observedGeneration: 1 } },
      {
        subresource: 'status',
      },
    );
    const forgotten = await countsOf({ ...team, desired: () => [] });
    expect(counted(forgotten)).toMatchObject({ [namespace]: [1, 1] });
  });
});

describe('a rollout', () => {
  const rollout = { budget: () => 1, timeoutMs: 600_000, failures: 0 };
  /** Restarts pods, as new code may. */
  const newer: Kind = {
    ...foo,
    desired(resource) {
      const desired = foo.desired(resource);
      if ('invalid' in desired) return desired;
      return desired.map((one) => {
        const { spec } = one.body as { readonly spec: { readonly template: object } };
        const containers = [{ name: 'nginx', image: 'nginx:2' }];
        const template = { ...spec.template, spec: { containers } };
        const body = { ...one.body, spec: { ...spec, template } };
        return { ...one, body } as Child;
      });
    },
  };

  test('keeps a resource whose plan needs another read', async () => {
    await settled();
    await place.resync({ kinds: [newer], rollout });
    const members = async () => {
      const { fleets } = await surveyed({ kinds: [newer], run: { rollout } });
      return fleets.flatMap((fleet) =>
        [...fleet.members.values()].map(({ rollout: mark, ready }) => [mark?.reason, ready]),
      );
    };
    const before = await members();
    expect(before).toContainEqual(['Waiting', false]);
    for (const name of ['f', 'g']) await outdateStatus(place, name, 'gone');
    expect(await members()).toEqual(before);
  });
});

describe('a list that fails', () => {
  const fails = (plural: string, ...errors: unknown[]) => {
    during = (what) => {
      if (what === `list ${plural}` && errors.length > 0) throw errors.shift();
    };
  };
  const both = { kinds: [foo, website] };
  const add = async () => {
    await create('f');
    const spec = { imageTag: 'v1', nodePort: place.nodePort() };
    await place.api.create(website, 'w', { spec });
  };
  beforeEach(add);

  test.each([
    ['services', new UnreachableError('lost'), 'Unreachable', true],
    ['services', refusal(403), 'HTTP403', false],
    ['deployments', refusal(503), 'HTTP503', true],
  ])(
    'of %s makes children of its type unknown (%s), and no others',
    async (plural, error, reason, transient) => {
      await place.resync({ kinds: [foo, website] });
      fails(plural, error);
      const found = await surveyed(both);
      expect(found.resources).toBe(2);
      const type = plural === 'services' ? plural : `${plural}.apps`;
      expect(found.incomplete).toStrictEqual([
        {
          kind: type,
          error: error.message,
          ...(transient ? { transient } : {}),
          ofChildren: true,
        },
      ]);
      const concerned = found.work.filter(({ kind, unlisted }) => {
        const owns = kind.owns.some((one) => one.plural === plural);
        const why = { reason, message: error.message, transient };
        expect([...(unlisted ?? [])]).toEqual(owns ? [[type, why]] : []);
        return owns;
      });
      expect(concerned.length).toBeGreaterThan(0);
      const kinds = concerned.flatMap(({ children }) =>
        [...children.values()].map(({ type: { plural } }) => plural),
      );
      expect(kinds).not.toContain(plural);
    },
  );

  test.each([
    ['websites', refusal(403), undefined],
    ['websites', refusal(503), true],
  ])(
    'of %s omits its kind (%s), and the other kind is surveyed',
    async (plural, error, transient) => {
      fails(plural, error);
      const found = await surveyed(both);
      expect(named(found)).toEqual(['f']);
      expect(found.resources).toBe(1);
      const { message } = error;
      const incomplete = { kind: 'websites.kubecon.my.domain', error: message };
      expect(found.incomplete).toStrictEqual([
        transient === undefined ? incomplete : { ...incomplete, transient },
      ]);
      expect(calls.filter((what) => what === 'list deployments')).toHaveLength(1);
    },
  );

  test.each(['deployments', 'foos'])(
    'because the pages of %s expire leaves them to the next run',
    async (plural) => {
      fails(plural, refusal(410));
      const { incomplete } = await surveyed(both);
      expect(incomplete).toMatchObject([{ transient: true }]);
      expect(calls.filter((what) => what === `list ${plural}`)).toHaveLength(1);
    },
  );
});

describe('the memory of a survey', () => {
  /** Builds a budget that records its uses and their bytes. */
  function recorded() {
    const counted: (readonly [string, number])[] = [];
    const whole = openMemory(1_000_000, 0)('local');
    const memory: MemoryBudget = {
      ...whole,
      count: (namespace, bytes) => counted.push([namespace, bytes]),
    };
    return { memory, counted, isReleased: () => whole.admit('any', 500_000) };
  }

  test('is released if a list of resources fails', async () => {
    await place.api.create(shop, 's', { spec: { tokens: ['x'.repeat(60)] } });
    const { memory, isReleased } = recorded();
    const through = eachCall(world.run.cluster, async (what, call) => {
      const response = await call();
      if (what === 'list shops') throw refusal(403);
      return response;
    });
    await surveyed({ kinds: [shop], run: { cluster: through, memory } });
    expect(isReleased()).toBe(true);
  });

  test('that is used up keeps no further resource, and the report names that', async () => {
    await create('f');
    const found = await surveyed({ run: { memory: openMemory(0, 0)('local') } });
    expect(found).toMatchObject({ work: [], resources: 1 });
    expect(found.unkept).toEqual([
      {
        key: `foos.example.com ${place.namespace}/f`,
        namespace: place.namespace,
        error: `it is not reconciled: ${overBudget}`,
      },
    ]);
  });

  test('is used only by resources that need work, and their children', async () => {
    await settled();
    const idle = recorded();
    await surveyed({ run: { memory: idle.memory } });
    expect(idle.counted).toEqual([]);
    expect(idle.isReleased()).toBe(true);
    await place.api.scale(deployment, 'f', 3);
    const busy = recorded();
    const { work } = await surveyed({ run: { memory: busy.memory } });
    const [{ resource, children } = expect.fail()] = work;
    expect(busy.counted).toEqual([
      [place.namespace, weightOf(resource)],
      ...[...children.values()].map((one) => [place.namespace, weightOfChild(one)]),
    ]);
    expect(busy.counted).toHaveLength(2);
    expect(busy.isReleased()).toBe(true);
  });

  test('is used once for an object that several resources refer to', async () => {
    await place.api.create(configMap, 'settings', { data: { tag: 'v1' } });
    for (const name of ['one', 'two', 'three'])
      await place.api.create(shop, name, { spec: { settings: 'settings', tokens: ['none'] } });
    const run = recorded();
    const { work } = await surveyed({ kinds: [shop], run: { memory: run.memory } });
    const [settings] = [...work[0]!.reads.values()];
    if (settings === undefined || !('object' in settings)) throw new Error('not read');
    expect(run.counted).toHaveLength(4);
    expect(run.counted).toContainEqual([place.namespace, weightOf(settings.object)]);
    expect(run.isReleased()).toBe(true);
  });
});

describe('a resource that refers to other objects', () => {
  const open = async () => {
    await place.api.create(configMap, 'settings', { data: { tag: 'v1' } });
    await place.api.create(shop, 'one', { spec: { settings: 'settings' } });
  };
  const reference = () => ({ type: configMap, namespace: place.namespace, name: 'settings' });

  test('is planned with objects that are read after all resources were listed', async () => {
    await open();
    const { work } = await surveyed({ kinds: [shop] });
    expect(calls).toEqual(['list deployments', 'list shops', 'get ConfigMap settings']);
    expect([...work[0]!.reads]).toMatchObject([
      [keyOfReference(reference()), { object: { data: { tag: 'v1' } } }],
    ]);
  });

  test('receives only the objects that it refers to', async () => {
    await open();
    await place.api.create(secret, 'token', { data: {} });
    await place.api.create(shop, 'two', { spec: { tokens: ['token'] } });
    const { work } = await surveyed({ kinds: [shop] });
    const byName = new Map(work.map(({ resource, reads }) => [resource.name, [...reads.keys()]]));
    expect(byName.get('one')).toEqual([keyOfReference(reference())]);
    expect(byName.get('two')).toHaveLength(1);
  });

  test('needs no work if it is up to date with its references', async () => {
    await open();
    for (let resyncs = 0; resyncs < 2; resyncs++) await place.resync({ kinds: [shop] });
    expect(await surveyed({ kinds: [shop] })).toMatchObject({ work: [], resources: 1 });
    await place.api.patch(configMap, 'settings', { data: { tag: 'v2' } });
    expect(named(await surveyed({ kinds: [shop] }))).toEqual(['one']);
  });

  test.each([
    ['suspended', { annotations: { 'serverless-reconciler/suspend': 'true' } }],
    ['being deleted', { finalizers: ['example.org/kept'] }],
  ])('and is %s causes no read of references', async (state, metadata) => {
    await open();
    await place.api.patch(shop, 'one', { metadata });
    if (state === 'being deleted') await place.api.remove(shop, 'one');
    await surveyed({ kinds: [shop] });
    expect(calls).not.toContain('get ConfigMap settings');
  });

  test.each([
    ['is invalid', () => ({ invalid: 'no' })],
    [
      'cannot be computed',
      (): never => {
        throw new Error('broken');
      },
    ],
  ])('whose spec %s is planned without them', async (_, references) => {
    await open();
    const found = await surveyed({ kinds: [{ ...shop, references } as Kind] });
    expect(found.resources).toBe(1);
    expect(calls).not.toContain('get ConfigMap settings');
    expect(found.incomplete).toEqual([]);
  });

  test('that does not fit into memory is not kept', async () => {
    await open();
    const memory = openMemory(0, 0)('local');
    const found = await surveyed({ kinds: [shop], run: { memory } });
    expect(found.unkept).toMatchObject([{ key: `shops.example.org ${place.namespace}/one` }]);
    expect(calls).not.toContain('get ConfigMap settings');
  });
});

describe('several areas', () => {
  const all = (areas: readonly Area[], run: Partial<RunParts> = {}) =>
    survey(runWith(world.run, { cluster: cluster(), ...run }), areas);

  test('are surveyed together, and a resource in two of them appears once', async () => {
    await settled();
    await create('h');
    await suspend('h');
    await create('i');
    const areas = [areaOf([foo]), areaOf([foo], { name: 'i' }), areaOf([foo], { name: 'h' })];
    const found = await all(areas);
    expect(named(found).toSorted()).toEqual(['h', 'i']);
    expect(found).toMatchObject({ resources: 6, idle: { suspended: 2, deleting: 0 } });
    expect(found.namespaces.get(place.namespace)?.resources).toBe(6);
  });

  test('report each failed list, and each resource that does not fit into memory, once', async () => {
    for (const name of ['f', 'g']) await create(name);
    const areas = [areaOf([foo, website]), areaOf([foo], { name: 'f' })];
    const full = await all(areas, { memory: openMemory(0, 0)('local') });
    expect(full.unkept.map(({ key }) => key).toSorted()).toEqual(
      ['f', 'g'].map((name) => `foos.example.com ${place.namespace}/${name}`),
    );
    during = (what) => {
      if (what === 'list foos' || what === 'list websites') throw refusal(403);
    };
    const { incomplete } = await all(areas);
    expect(incomplete.map(({ kind }) => kind).toSorted()).toEqual([
      'foos.example.com',
      'websites.kubecon.my.domain',
    ]);
  });

  test('are read four at a time', async () => {
    let active = 0;
    let most = 0;
    const { cluster: direct } = world.run;
    const busy = eachCall(direct, async (_, call) => {
      most = Math.max(most, ++active);
      const response = await call();
      active--;
      return response;
    });
    const areas = Array.from({ length: 9 }, (_, at) => areaOf([foo], { name: `f${at}` }));
    await all(areas, { cluster: busy });
    expect(most).toBe(4);
  });
});
