import { describe, expect, test } from 'vitest';
import type { Cluster, Selection } from '../../shared/cluster/cluster.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { KubeObject, ResourceType } from '../../shared/kubernetes.ts';
import { listChildren, listResources } from '../../shared/reading/read.ts';
import type { Area } from '../../shared/run/area.ts';
import { openMemory } from '../../shared/run/memory-budget.ts';
import type { Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { identity } from '../support/observe.ts';
import { team } from '../support/team.ts';

/** Builds an object with a controller of this uid; cluster-scoped if the namespace is empty. */
const object = (name: string, namespace: string, controller: string | undefined): KubeObject =>
  ({
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '1',
      ...(namespace === '' ? {} : { namespace }),
      ...(controller === undefined
        ? {}
        : { ownerReferences: [{ uid: controller, controller: true }] }),
    },
  }) as unknown as KubeObject;

/** Opens a run over these lists, by plural, and records each selection. */
function open(objects: Readonly<Record<string, readonly KubeObject[]>> = {}) {
  const asked: (readonly [string, Selection])[] = [];
  const list = async (
    { plural }: ResourceType,
    selection: Selection,
    each: (live: KubeObject) => void,
  ) => {
    asked.push([plural, selection]);
    for (const one of objects[plural] ?? []) each(one);
  };
  const run = {
    clients: { identity },
    limits: { memory: openMemory()('local') },
    cluster: { list },
  };
  return { run: run as unknown as Run, asked };
}
const areaOf = (kinds: readonly Kind[], over: Partial<Area> = {}): Area => ({
  kinds,
  namespaces: undefined,
  name: undefined,
  ...over,
});
const managedBy = { 'app.kubernetes.io/managed-by': 'serverless-reconciler' };

describe('children are listed', () => {
  test.each([
    [
      'by the label of their kind if there is only one',
      areaOf([foo]),
      { 'app.kubernetes.io/part-of': 'foo' },
    ],
    ['for several kinds at once', areaOf([foo, website]), {}],
    ['by the label of this reconciler if no kind is given', areaOf([]), {}],
    [
      'by the label of their resource',
      areaOf([foo], { name: 'f' }),
      { 'app.kubernetes.io/part-of': 'foo', 'app.kubernetes.io/instance': 'f' },
    ],
  ])('%s', async (_, area, more) => {
    const { run, asked } = open();
    await listChildren(run, area);
    for (const [, { labels }] of asked) expect(labels).toEqual({ ...managedBy, ...more });
    expect(asked.map(([plural]) => plural)).toEqual(
      [...new Set(area.kinds.flatMap(({ owns }) => owns))].map(({ plural }) => plural),
    );
  });

  test('with one list for each namespace', async () => {
    const { run, asked } = open();
    await listChildren(run, areaOf([foo], { namespaces: ['a', 'b'] }));
    expect(asked.map(([, { namespace }]) => namespace)).toEqual(['a', 'b']);
  });
});

test('resources are listed by name, in each namespace', async () => {
  const { run, asked } = open({ foos: [object('f', 'a', undefined)] });
  const found: string[] = [];
  const area = areaOf([foo], { namespaces: ['a', 'b'], name: 'f' });
  await listResources(run, area, foo, ({ name }) => void found.push(name));
  expect(asked).toEqual([
    ['foos', { name: 'f', namespace: 'a' }],
    ['foos', { name: 'f', namespace: 'b' }],
  ]);
  expect(found).toEqual(['f', 'f']);
});

describe('the children of a resource', () => {
  const deployments = [
    object('one', 'a', 'f'),
    object('two', 'a', 'f'),
    object('elsewhere', 'b', 'f'),
    object('other', 'a', 'g'),
    object('alone', 'a', undefined),
  ];
  const namesOf = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name);

  test('are the objects in its namespace that it controls', async () => {
    const { run } = open({ deployments });
    const { childrenOf, failed } = await listChildren(run, areaOf([foo]));
    expect(failed.size).toBe(0);
    expect(namesOf(childrenOf({ uid: 'f', namespace: 'a' }))).toEqual(['one', 'two']);
    expect(namesOf(childrenOf({ uid: 'g', namespace: 'a' }))).toEqual(['other']);
    expect(childrenOf({ uid: 'g', namespace: 'b' })).toEqual([]);
    expect(childrenOf({ uid: 'unknown', namespace: 'a' })).toEqual([]);
    expect(childrenOf({ uid: 'f', namespace: 'a' })[0]).not.toHaveProperty('namespace');
  });

  test('are kept only for resources that the run waits for', async () => {
    const { run } = open({ deployments });
    const { childrenOf, failed } = await listChildren(run, areaOf([foo], { uids: new Set(['g']) }));
    expect(failed.size).toBe(0);
    expect(childrenOf({ uid: 'f', namespace: 'a' })).toEqual([]);
    expect(namesOf(childrenOf({ uid: 'g', namespace: 'a' }))).toEqual(['other']);
  });

  test('may be in any namespace if it is cluster-scoped, and contain their namespaces', async () => {
    const { run } = open({
      configmaps: [object('card', 'a', 't'), object('card', 'b', 't')],
      clusterroles: [object('role', '', 't')],
    });
    const { childrenOf } = await listChildren(run, areaOf([team]));
    const owner = { uid: 't', namespace: '' };
    const found = childrenOf(owner).map(({ name, namespace }) => [name, namespace]);
    expect(found.toSorted()).toEqual([
      ['card', 'a'],
      ['card', 'b'],
      ['role', undefined],
    ]);
    expect(childrenOf(owner).filter((one) => 'namespace' in one)).toHaveLength(2);
    expect(childrenOf({ ...owner, uid: 'unknown' })).toEqual([]);
  });

  test('are unknown if a later page failed', async () => {
    const { run } = open({ deployments });
    const { list } = run.cluster;
    const cluster: Cluster = {
      ...run.cluster,
      list: async (...args) => {
        await list(...args);
        throw new Error('lost');
      },
    };
    const { childrenOf } = await listChildren({ ...run, cluster }, areaOf([foo]));
    expect(childrenOf({ uid: 'f', namespace: 'a' })).toEqual([]);
  });

  test('are unknown if a list failed, which is named', async () => {
    const error = new Error('lost');
    const { run } = open();
    const cluster = { ...run.cluster, list: () => Promise.reject(error) };
    const { failed } = await listChildren({ ...run, cluster } as Run, areaOf([foo]));
    expect([...failed]).toEqual([['deployments.apps', error]]);
  });
});
