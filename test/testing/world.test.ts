import { expect, onTestFinished, test } from 'vitest';
import { defineConfig, deployment } from '../../index.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { createWorld, RefusedError, type World, type WorldOptions } from '../../testing/index.ts';

async function newWorld(options: WorldOptions = {}): Promise<World> {
  const world = await createWorld({ kinds: [foo, website] }, options);
  onTestFinished(() => world.close());
  return world;
}

const clusterRoleType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
};

const shop = { name: 'shop', spec: { deploymentName: 'shop', replicas: 2 } };

test('a resync creates what a resource wants, and the next one makes it Ready', async () => {
  const world = await newWorld();
  await world.apply(foo, shop);
  expect(await world.resync()).toMatchObject({ outcomes: { created: 1 }, failures: [] });
  const [child] = await world.children(foo, 'shop');
  expect(child).toMatchObject({ kind: 'Deployment', spec: { replicas: 2 } });
  await world.resync();
  expect((await world.conditions(foo, 'shop')).Ready).toMatchObject({ status: 'True' });
  expect(await world.events(foo, 'shop')).toMatchObject([{ reason: 'Synced' }]);
  world.requests();
  await world.resync();
  const sent = world.requests();
  expect(sent.map(({ verb, resource }) => `${verb} ${resource}`)).toContain('list foos');
  expect(sent.filter(({ isWrite }) => isWrite)).toEqual([]);
});

test('a delivery reconciles what was changed since the last resync', async () => {
  const world = await newWorld();
  await world.apply(foo, shop);
  await world.resync();
  expect(await world.deliver()).toMatchObject({ scopes: [] });
  await world.patch(deployment, 'shop', { body: { spec: { replicas: 5 } } });
  expect(await world.deliver()).toMatchObject({
    scopes: [{ kind: 'foos.example.com', namespace: 'default', name: 'shop' }],
    report: { outcomes: { updated: 1 } },
  });
  expect(await world.get(deployment, 'shop')).toMatchObject({ spec: { replicas: 2 } });
  expect(await world.deliver()).toMatchObject({ scopes: [] });
});

test('nothing becomes ready while the controllers are paused', async () => {
  const world = await newWorld({ controllers: 'paused' });
  await world.apply(foo, shop);
  await world.resync();
  await world.resync();
  expect(await world.conditions(foo, 'shop')).toMatchObject({ Ready: { status: 'False' } });
  world.cluster.controllers.resume();
  await world.resync();
  expect(await world.conditions(foo, 'shop')).toMatchObject({ Ready: { status: 'True' } });
});

test('a conflict is planned again, and a lost answer counts as if it had arrived', async () => {
  const world = await newWorld();
  await world.apply(foo, shop);
  const patch = { verb: 'patch', resource: deployment, name: 'shop', times: 1 } as const;
  world.fail({ ...patch, status: 409 });
  expect(await world.resync()).toMatchObject({ outcomes: { created: 1 }, failures: [] });
  await world.patch(deployment, 'shop', { body: { spec: { replicas: 5 } } });
  world.fail({ ...patch, lost: 'answer' });
  expect(await world.resync()).toMatchObject({ outcomes: { updated: 1 }, failures: [] });
  expect(await world.get(deployment, 'shop')).toMatchObject({ spec: { replicas: 2 } });
});

test('only requests of the reconciler fail, until the failure is ended', async () => {
  const world = await newWorld();
  const end = world.fail({ verb: 'patch', resource: 'deployments', status: 500 });
  await world.apply(foo, shop);
  const { failures } = await world.resync();
  expect(failures).toMatchObject([{ key: 'foos.example.com default/shop' }]);
  expect((await world.conditions(foo, 'shop')).Reconciling).toMatchObject({ status: 'True' });
  end();
  expect(await world.resync()).toMatchObject({ outcomes: { created: 1 }, failures: [] });
});

test('a failure of every list is an error of the resync, as of the function', async () => {
  const world = await newWorld();
  world.fail({ verb: 'list', resource: foo, status: 503 });
  await expect(world.resync({ kind: 'Foo' })).rejects.toThrow(/list foos/);
});

test('the reconciler has the rights of its kinds, and no others', async () => {
  const world = await newWorld();
  const role = await world.get(clusterRoleType, 'serverless-reconciler');
  const rules = role?.rules as readonly { readonly verbs: readonly string[] }[];
  const without = rules.filter((rule) => !JSON.stringify(rule).includes('"deployments"'));
  expect(without.length).toBeLessThan(rules.length);
  await world.patch(clusterRoleType, 'serverless-reconciler', { body: { rules: without } });
  await world.apply(foo, shop);
  await expect(world.resync()).rejects.toThrow(/^cannot list deployments.apps: Forbidden/);
});

test('any manifest can be applied, and what is not served is an error with a remedy', async () => {
  const world = await newWorld();
  await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await world.apply(foo, { ...shop, namespace: 'team' });
  expect(await world.resync({ namespace: 'team' })).toMatchObject({ outcomes: { created: 1 } });
  expect(await world.children(foo, 'shop', { namespace: 'team' })).toHaveLength(1);
  await expect(
    world.apply({ apiVersion: 'example.net/v1', kind: 'Gadget', metadata: { name: 'x' } }),
  ).rejects.toThrow(
    'the embedded cluster does not serve Gadget of example.net/v1; apply its CustomResourceDefinition first',
  );
});

test('what the API server refuses is a RefusedError with its status', async () => {
  const world = await newWorld();
  const refused = world.apply(foo, {
    name: 'shop',
    spec: { deploymentName: 'shop', replicas: -1 },
  });
  await expect(refused).rejects.toBeInstanceOf(RefusedError);
  await expect(refused).rejects.toMatchObject({ status: { code: 422, reason: 'Invalid' } });
  await expect(refused).rejects.toThrow(/^cannot apply Foo shop: 422 Invalid: .*replicas/);
});

test('deleting a resource deletes its children', async () => {
  const world = await newWorld();
  await world.apply(foo, shop);
  await world.resync();
  await world.delete(foo, 'shop');
  expect(await world.list(deployment)).toEqual([]);
  await expect(world.children(foo, 'shop')).rejects.toThrow('there is no Foo default/shop');
});

test('a repair that is undone is left to the resync until 30 s have passed on the clock', async () => {
  let now = Date.parse('2030-01-01T00:00:00Z');
  const world = await newWorld({ clock: () => new Date(now) });
  const scale = () => world.patch(deployment, 'shop', { body: { spec: { replicas: 5 } } });
  const replicas = async () => (await world.get(deployment, 'shop'))?.spec?.replicas;
  await world.apply(foo, shop);
  await world.resync();
  now += 60_000;
  await scale();
  await world.deliver();
  expect(await replicas()).toBe(2);
  now += 1000;
  await scale();
  await world.deliver();
  expect(await replicas()).toBe(5);
  now += 60_000;
  await scale();
  await world.patch(deployment, 'shop', { body: { spec: { replicas: 6 } } });
  await world.deliver();
  expect(await replicas()).toBe(2);
});

test('settings of kinds come from the environment, and from localEnvironment otherwise', async () => {
  const kinds = ({ AUTH_URL: authUrl }: { readonly AUTH_URL: string }) => {
    seen.push(authUrl);
    return [foo];
  };
  const seen: string[] = [];
  const reconciler = defineConfig({
    settings: { AUTH_URL: (text: string) => text },
    localEnvironment: { AUTH_URL: 'http://local' },
    kinds,
  });
  for (const environment of [{}, { AUTH_URL: 'http://other' }])
    await (await createWorld(reconciler, { environment })).close();
  expect(seen).toEqual(['http://local', 'http://other']);
});

const wrong: Readonly<Record<string, [(world: World) => unknown, RegExp]>> = {
  'a failure without an answer': [(world) => world.fail({ verb: 'patch' }), /needs either status/],
  'a failure with two': [
    (world) => world.fail({ status: 500, lost: 'answer' }),
    /needs either status/,
  ],
  'an unknown verb': [
    (world) => world.fail({ verb: 'apply' as 'patch', status: 500 }),
    /fault\.verb.*patch/,
  ],
  'a request for an unknown kind': [
    (world) => world.resync({ kind: 'Bar' }),
    /this function reconciles Foo, Website/,
  ],
};

test.each(Object.entries(wrong))('%s is an error that names it', async (_, [act, says]) => {
  const world = await newWorld();
  await expect(Promise.try(act, world)).rejects.toThrow(says);
});

test('a world that is disposed of, or cannot be made, listens no more', async () => {
  let url = '';
  {
    await using world = await createWorld({ kinds: [foo] });
    url = world.cluster.url;
    await fetch(url);
  }
  await expect(fetch(url)).rejects.toThrow();
  await expect(createWorld({ kinds: [] })).rejects.toThrow('kinds is empty');
  await expect(createWorld({ kinds: [foo] }, { podsReadyAfterMs: -1 })).rejects.toThrow(
    /podsReadyAfterMs/,
  );
});

test('a world of a reconciler with a name has its rights, labels and Events', async () => {
  const world = await createWorld(defineConfig({ name: 'team-a', kinds: [foo] }));
  onTestFinished(() => world.close());
  expect(await world.get(clusterRoleType, 'team-a')).toBeDefined();
  await world.apply(foo, shop);
  await world.resync();
  const [child] = await world.children(foo, 'shop');
  expect(child?.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'team-a' });
  expect(await world.events(foo, 'shop')).toMatchObject([{ reportingComponent: 'team-a' }]);
});

const untypedCalls: Readonly<Record<string, [(world: World) => unknown, string]>> = {
  'a name for a type': [
    (world) => world.get('deployments' as never, 'shop'),
    'type is "deployments"; it must be a child type, as configMap, or a kind',
  ],
  'no name': [
    (world) => world.delete(deployment, undefined as never),
    'name is undefined; it must be a string',
  ],
  'a string for a place': [
    (world) => world.get(deployment, 'shop', 'team' as never),
    'the place is "team"; it must be an object, as { namespace: \'team-a\' }',
  ],
  'a place for a list': [
    (world) => world.list(deployment, 'team' as never),
    'the place is "team"; it must be an object',
  ],
  'a kind without a resource': [
    (world) => world.apply(foo as never),
    'the object is an object; it must be a manifest with apiVersion, kind and metadata.name',
  ],
  'a resource without a name': [
    (world) => world.apply(foo, { spec: {} } as never),
    'resource is an object; it must be { name, spec }, where name is a string',
  ],
  'a patch as it is sent': [
    (world) => world.patch(foo, 'shop', { spec: {} } as never),
    'patch is an object; it must be an object with body: { body: { spec: … } }',
  ],
  'a replacement by nothing': [
    (world) => world.replace(deployment, {} as never),
    'the object is an object; it must be a manifest',
  ],
  'children of no kind': [
    (world) => world.children('Foo' as never, 'shop'),
    'type is "Foo"; it must be a child type',
  ],
  'Events of no name': [
    (world) => world.events(foo, undefined as never),
    'name is undefined; it must be a string',
  ],
  'no failure': [
    async (world) => world.fail(undefined as never),
    'failure is undefined; it must be an object, as { status: 503 }',
  ],
  'a loss of nothing': [
    async (world) => world.fail({ lost: 'both' as never }),
    'lost is "both"; it must be request or answer',
  ],
  'a failure of no type': [
    async (world) => world.fail({ status: 503, resource: 1 as never }),
    'resource is 1; it must be a plural, as deployments, or a type, as deployment',
  ],
};

test.each(Object.entries(untypedCalls))('%s is an error that names it', async (_, [act, says]) => {
  const world = await newWorld();
  await expect(act(world)).rejects.toThrow(says);
});

const untypedWorlds: Readonly<Record<string, [unknown, unknown, string]>> = {
  'no configuration': [
    undefined,
    {},
    'the configuration is undefined; it must be that of defineConfig, or { kinds }',
  ],
  'no options': [{ kinds: [foo] }, null, 'options is null; it must be an object of environment, '],
  'a misspelt option': [
    { kinds: [foo] },
    { podsReadyAfter: 5 },
    'there is no option podsReadyAfter; did you mean podsReadyAfterMs?',
  ],
  'a log that cannot be called': [
    { kinds: [foo] },
    { onLog: [] },
    'onLog is a list; it must be a function',
  ],
};

test.each(Object.entries(untypedWorlds))(
  '%s of a world is an error that names it',
  async (_, [given, options, says]) => {
    await expect(createWorld(given as never, options as never)).rejects.toThrow(says);
  },
);
