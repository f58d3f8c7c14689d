import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject, ResourceType } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { faultsIn, look } from './desired.ts';
import { engineUser, isWriteRequest, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });

/** Renames a Foo and removes the Deployment of a Website, so that both kinds need a write. */
async function prepare() {
  const place = await engine.place();
  const { api, nodePort } = place;
  await api.create(foo, 'f', { spec: { deploymentName: 'a' } });
  await api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: nodePort() } });
  await place.resync();
  await api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
  await api.remove(deployment, 'w');
  const begun = place.requests().length;
  const since = () => place.requests().slice(begun);
  return {
    ...place,
    /** Lists the written objects, except Events. */
    written: () =>
      new Set(
        since()
          .filter((one) => isWriteRequest(one) && one.resource !== 'events')
          .map(({ name }) => name),
      ),
    /** Lists the types of the written objects. */
    writtenTypes: () =>
      new Set(
        since()
          .filter(isWriteRequest)
          .map(({ resource }) => resource),
      ),
    deletions: () => since().filter(({ verb }) => verb === 'delete').length,
    lists: () => since().flatMap(({ verb, resource }) => (verb === 'list' ? [resource] : [])),
  };
}

/**
 * For each failing list, the names of the objects that are still written and deleted. `f` and `w` are statuses,
 * which then name the type of children; `w` is also the name of the Website's children.
 */
const unconcerned: Readonly<
  Record<string, { readonly written: readonly string[]; readonly deletions: number }>
> = {
  deployments: { written: ['f', 'w'], deletions: 0 },
  services: { written: ['a', 'b', 'f', 'w'], deletions: 1 },
  websites: { written: ['a', 'b', 'f'], deletions: 1 },
  foos: { written: ['w'], deletions: 0 },
};

const listsOf = (place: Place, resource: string) =>
  ({ user: engineUser, namespace: place.namespace, verb: 'list', resource }) as const;

/** Runs while a list is refused, and again without the refusal. */
async function withoutList(
  plural: string,
  refuse: (place: Place) => (() => unknown) | Promise<() => unknown>,
): Promise<void> {
  const place = await prepare();
  const permit = await refuse(place);
  const report = await place.resync();
  await permit();
  const { written, deletions } = unconcerned[plural]!;
  expect([...place.written()].toSorted()).toEqual(written);
  expect(place.deletions()).toBe(deletions);
  expect(report.incomplete.length).toBeGreaterThan(0);
  expect(report.pruning).toBe('allowed');
  await place.resync();
  expect(faultsIn(await look(place.api))).toEqual([]);
}

describe.each(Object.keys(unconcerned))('a list of %s', (plural) => {
  test('is forbidden: only writes that depend on it are omitted', () =>
    withoutList(plural, () => forbid(plural)));

  test('expires: only writes that depend on it are omitted', () =>
    withoutList(plural, (place) =>
      engine.cluster.faults.add({
        ...listsOf(place, plural),
        effect: { kind: 'status', code: 410 },
      }),
    ));
});

const clusterRole: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
};

interface PolicyRule extends JsonObject {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Revokes the permission to list a resource until the returned function is called. */
async function forbid(plural: string): Promise<() => unknown> {
  const { admin } = engine;
  const name = 'serverless-reconciler';
  const { rules } = (await admin.get(clusterRole, name)) as unknown as { rules: PolicyRule[] };
  const less = rules.flatMap((rule) =>
    rule.resources.includes(plural)
      ? [
          { ...rule, resources: rule.resources.filter((one) => one !== plural) },
          { ...rule, resources: [plural], verbs: rule.verbs.filter((verb) => verb !== 'list') },
        ]
      : [rule],
  );
  // Drops the rule, because the server refuses one without resources.
  const whole = less.filter(({ resources }) => resources.length > 0);
  await admin.patch(clusterRole, name, { rules: whole });
  return () => admin.patch(clusterRole, name, { rules });
}

async function prepareTwoPages() {
  const place = await prepare();
  const { api } = place;
  const { spec } = (await api.get(deployment, 'a')) as unknown as { spec: JsonObject };
  const labels = { 'app.kubernetes.io/managed-by': 'serverless-reconciler' };
  for (let begun = 0; begun < 500; begun += 50) {
    const names = Array.from({ length: 50 }, (_, at) => `page-${begun + at}`);
    await Promise.all(
      names.map((name) => api.create(deployment, name, { metadata: { labels }, spec })),
    );
  }
  return place;
}

describe('the second page of a list', () => {
  /** Acts before the second page of the first list. */
  function beforeSecondPage({ namespace }: Place, act: () => Promise<unknown>): void {
    let pages = 0;
    engine.cluster.intercept(async (request) => {
      const { user, verb, resource } = request;
      if (request.namespace !== namespace || user !== engineUser) return;
      if (verb !== 'list' || resource !== 'deployments') return;
      if (++pages === 2) await act();
    });
  }

  /** Makes the server forget its history. */
  const expire =
    ({ api }: Place) =>
    async () => {
      await api.patch(deployment, 'page-0', { metadata: { annotations: { now: randomUUID() } } });
      engine.cluster.compact();
    };

  let place: Awaited<ReturnType<typeof prepareTwoPages>>;
  beforeAll(async () => {
    place = await prepareTwoPages();
  });

  test('is forbidden: no child of its type is written', async () => {
    let permit: (() => unknown) | undefined;
    beforeSecondPage(place, async () => {
      permit = await forbid('deployments');
    });
    const report = await place.resync();
    await permit?.();
    expect(report.incomplete).toMatchObject([{ kind: 'deployments.apps', ofChildren: true }]);
    expect(place.writtenTypes()).not.toContain('deployments');
  });

  test('expires: no child of its type is written, and the next run writes it', async () => {
    beforeSecondPage(place, expire(place));
    expect((await place.resync()).incomplete).toHaveLength(1);
    expect(place.writtenTypes()).not.toContain('deployments');
    expect((await place.resync()).incomplete).toEqual([]);
    expect(faultsIn(await look(place.api))).toEqual([]);
  });
});
