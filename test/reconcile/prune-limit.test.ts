import { beforeEach, expect, test } from 'vitest';
import type { Child } from '../../shared/kinds/child.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { foo } from '../../systems/foo.ts';
import { casesOf } from '../support/cases.ts';
import { faultsIn, look } from './desired.ts';
import { engineUser } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });

/** Defines the kind with a child that a later version dropped. */
const fooOfOld: Kind = {
  ...foo,
  desired(resource) {
    const desired = foo.desired(resource);
    if ('invalid' in desired) return desired;
    return desired.flatMap((child): Child[] => [child, { ...child, name: `${child.name}-old` }]);
  },
};

const names = Array.from({ length: 20 }, (_, at) => `f${at}`);
const withOldChild = names.slice(0, 15);
const limit = (resources: number): number => Math.max(10, resources / 5);

const place = usePlace(engine);
beforeEach(async () => {
  for (const name of withOldChild) await birth(name);
  await place.resync({ kinds: [fooOfOld] });
  for (const name of names.slice(15)) await birth(name);
});

const birth = (name: string) =>
  place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });

const oldChildren = async (): Promise<number> => {
  const live = await place.api.list(deployment);
  return live.filter(({ metadata }) => metadata.name.endsWith('-old')).length;
};

const deletions = () => place.requests().filter(({ verb }) => verb === 'delete').length;

test('if there are more unrequested deletions than the limit, none is made, and all other writes are', async () => {
  const report = await place.resync({ kinds: [foo], pruneLimit: limit });
  expect(deletions()).toBe(0);
  expect(report.pruning).toContain('15 of 20');
  expect(report.pruning).toContain('PRUNE_LIMIT');
  expect(report.outcomes).toMatchObject({ created: 5, skipped: 15, deleted: 0 });
  expect(engine.complaints.join()).toContain('deletions are withheld in this run');
  // Each resync reports it, not only the first.
  const again = await place.resync({ kinds: [foo], pruneLimit: limit });
  expect(again.pruning).toContain('15 of 20');
  expect(await oldChildren()).toBe(15);
});

test('deletions up to the limit are made', async () => {
  const report = await place.resync({ kinds: [foo], pruneLimit: () => 15 });
  expect(report.pruning).toBe('allowed');
  expect(report.outcomes.deleted).toBe(15);
  expect(faultsIn(await look(place.api))).toEqual([]);
});

test('children that are already being deleted do not count for PRUNE_LIMIT', async () => {
  for (const name of withOldChild)
    await place.api.patch(deployment, `${name}-old`, { metadata: { finalizers: ['other/hold'] } });
  await place.resync({ kinds: [foo], pruneLimit: () => 15 });
  expect(await oldChildren()).toBe(15);
  expect((await place.resync({ kinds: [foo], pruneLimit: limit })).pruning).toBe('allowed');
});

test('deletions after an edit do not count for PRUNE_LIMIT', async () => {
  for (const name of withOldChild.slice(0, 5))
    await place.api.patch(foo, name, { spec: { replicas: 2 } });
  const report = await place.resync({ kinds: [foo], pruneLimit: limit });
  expect(report.pruning).toBe('allowed');
  expect(report.outcomes.deleted).toBe(15);
  expect(await oldChildren()).toBe(0);
});

test('an edit that renames every child does not count for PRUNE_LIMIT', async () => {
  await place.resync({ kinds: [foo], pruneLimit: () => 20 });
  for (const name of names)
    await place.api.patch(foo, name, { spec: { deploymentName: `${name}-new` } });
  const report = await place.resync({ kinds: [foo], pruneLimit: limit });
  expect(report.outcomes.deleted).toBe(20);
  expect(faultsIn(await look(place.api))).toEqual([]);
});

/** Obstacles to deletions after an edit; each returns a function that removes the obstacle. */
const obstacles: Record<
  string,
  { readonly reason: string; readonly put: () => Promise<() => unknown> }
> = {
  Refused: {
    reason: 'the server refuses the deletions',
    put: async () =>
      engine.cluster.faults.add({
        user: engineUser,
        namespace: place.namespace,
        verb: 'delete',
        effect: { kind: 'status', code: 410 },
      }),
  },
  Blocked: {
    reason: 'the replacements of the children are not up to date',
    put: async () => {
      const objects = names.map((name) => `${name}-new`);
      for (const name of objects) await place.api.create(deployment, name, foreign());
      return () => Promise.all(objects.map((name) => place.api.remove(deployment, name)));
    },
  },
};

const foreign = () => ({
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'nginx', image: 'nginx' }] },
    },
  },
});

test.each(casesOf(obstacles))(
  'deletions after an edit stay exempt from PRUNE_LIMIT while they are blocked: %s',
  async (_, { put }) => {
    await place.resync({ kinds: [foo], pruneLimit: () => 20 });
    const takeAway = await put();
    for (const name of names)
      await place.api.patch(foo, name, { spec: { deploymentName: `${name}-new` } });
    for (let resyncs = 0; resyncs < 2; resyncs++) {
      const report = await place.resync({ kinds: [foo], pruneLimit: limit });
      expect(report.outcomes.deleted).toBe(0);
    }
    await takeAway();
    const report = await place.resync({ kinds: [foo], pruneLimit: limit });
    expect(report.pruning).toBe('allowed');
    expect(faultsIn(await look(place.api))).toEqual([]);
    // The generation was acted on, so another unwanted child without an edit would count.
    const { status, metadata } = await place.api.get(foo, 'f0');
    expect(status?.observedGeneration).toBe(metadata.generation);
  },
);
