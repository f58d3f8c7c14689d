import { expect, onTestFinished, test } from 'vitest';
import { defineConfig, deployment } from '../../index.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import {
  createTestEnvironment,
  RefusedError,
  type TestEnvironment,
  type TestEnvironmentOptions,
} from '../../testing/index.ts';

async function newEnvironment(options: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
  const env = await createTestEnvironment({ kinds: [foo, website] }, options);
  onTestFinished(() => env.close());
  return env;
}

const clusterRoleType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
};

const shop = { name: 'shop', spec: { deploymentName: 'shop', replicas: 2 } };

test('a resync creates the children of a resource, and the next one makes it Ready', async () => {
  const env = await newEnvironment();
  await env.apply(foo, shop);
  expect(await env.resync()).toMatchObject({ outcomes: { created: 1 }, failures: [] });
  const [child] = await env.children(foo, 'shop');
  expect(child).toMatchObject({ kind: 'Deployment', spec: { replicas: 2 } });
  await env.resync();
  expect((await env.conditions(foo, 'shop')).Ready).toMatchObject({ status: 'True' });
  expect(await env.events(foo, 'shop')).toMatchObject([{ reason: 'Synced' }]);
  env.requests();
  await env.resync();
  const sent = env.requests();
  expect(sent.map(({ verb, resource }) => `${verb} ${resource}`)).toContain('list foos');
  expect(sent.filter(({ isWrite }) => isWrite)).toEqual([]);
});

test('a delivery reconciles the changes since the last resync', async () => {
  const env = await newEnvironment();
  await env.apply(foo, shop);
  await env.resync();
  expect(await env.deliver()).toMatchObject({ reconcileRequests: [] });
  await env.patch(deployment, 'shop', { body: { spec: { replicas: 5 } } });
  expect(await env.deliver()).toMatchObject({
    reconcileRequests: [{ kind: 'foos.example.com', namespace: 'default', name: 'shop' }],
    report: { outcomes: { updated: 1 } },
  });
  expect(await env.get(deployment, 'shop')).toMatchObject({ spec: { replicas: 2 } });
  expect(await env.deliver()).toMatchObject({ reconcileRequests: [] });
});

test('the status of a manifest is written, too', async () => {
  const env = await newEnvironment();
  const metadata = { name: 'shop' };
  const status = { observedGeneration: 1 };
  await env.apply({
    apiVersion: 'example.com/v1alpha1',
    kind: 'Foo',
    metadata,
    spec: shop.spec,
    status,
  });
  expect(await env.get(foo, 'shop')).toMatchObject({ spec: { replicas: 2 }, status });
});

test('the empty status of a published CRD is ignored, as kubectl ignores it', async () => {
  const env = await newEnvironment();
  const names = { kind: 'Gadget', plural: 'gadgets' };
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const applied = await env.apply({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.net' },
    spec: {
      group: 'example.net',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
    status: { acceptedNames: { kind: '', plural: '' }, conditions: null, storedVersions: null },
  });
  expect(applied).toMatchObject({ status: { storedVersions: ['v1'] } });
});

test('the status of a manifest whose type has no status subresource is written as a field', async () => {
  const env = await newEnvironment();
  const names = { kind: 'Gadget', plural: 'gadgets' };
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await env.apply({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.net' },
    spec: {
      group: 'example.net',
      scope: 'Namespaced',
      names,
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  const status = { phase: 'Running' };
  const metadata = { name: 'one' };
  const applied = await env.apply({
    apiVersion: 'example.net/v1',
    kind: 'Gadget',
    metadata,
    status,
  });
  expect(applied).toMatchObject({ status });
});

test('nothing becomes ready while the controllers are paused', async () => {
  const env = await newEnvironment({ controllers: 'paused' });
  await env.apply(foo, shop);
  await env.resync();
  await env.resync();
  expect(await env.conditions(foo, 'shop')).toMatchObject({ Ready: { status: 'False' } });
  env.cluster.controllers.resume();
  await env.resync();
  expect(await env.conditions(foo, 'shop')).toMatchObject({ Ready: { status: 'True' } });
});

test('with fail(), a conflict leads to another plan, and a write with a lost response counts as made', async () => {
  const env = await newEnvironment();
  await env.apply(foo, shop);
  const patch = { verb: 'patch', resource: deployment, name: 'shop', times: 1 } as const;
  env.fail({ ...patch, status: 409 });
  expect(await env.resync()).toMatchObject({ outcomes: { created: 1 }, failures: [] });
  await env.patch(deployment, 'shop', { body: { spec: { replicas: 5 } } });
  env.fail({ ...patch, lost: 'response' });
  expect(await env.resync()).toMatchObject({ outcomes: { updated: 1 }, failures: [] });
  expect(await env.get(deployment, 'shop')).toMatchObject({ spec: { replicas: 2 } });
});

test("with fail(), only the reconciler's requests fail, until the failure ends", async () => {
  const env = await newEnvironment();
  const end = env.fail({ verb: 'patch', resource: 'deployments', status: 500 });
  await env.apply(foo, shop);
  const { failures } = await env.resync();
  expect(failures).toMatchObject([{ key: 'foos.example.com default/shop' }]);
  expect((await env.conditions(foo, 'shop')).Reconciling).toMatchObject({ status: 'True' });
  end();
  expect(await env.resync()).toMatchObject({ outcomes: { created: 1 }, failures: [] });
});

test('a failure of every list rejects the resync, as in the function', async () => {
  const env = await newEnvironment();
  env.fail({ verb: 'list', resource: foo, status: 503 });
  await expect(env.resync({ kind: 'Foo' })).rejects.toThrow(/list foos/);
});

test('the reconciler has the permissions of its kinds, and no others', async () => {
  const env = await newEnvironment();
  const role = await env.get(clusterRoleType, 'serverless-reconciler');
  const rules = role?.rules as readonly { readonly verbs: readonly string[] }[];
  const without = rules.filter((rule) => !JSON.stringify(rule).includes('"deployments"'));
  expect(without.length).toBeLessThan(rules.length);
  await env.patch(clusterRoleType, 'serverless-reconciler', { body: { rules: without } });
  await env.apply(foo, shop);
  const { failures, outcomes } = await env.resync();
  expect(failures).toMatchObject([
    { reason: 'Forbidden', message: expect.stringMatching(/^cannot list deployments.apps: /) },
  ]);
  expect(outcomes).toMatchObject({ created: 0 });
});

test('any manifest can be applied, and a type that is not served is an error with a remedy', async () => {
  const env = await newEnvironment();
  await env.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await env.apply(foo, { ...shop, namespace: 'team' });
  expect(await env.resync({ namespace: 'team' })).toMatchObject({ outcomes: { created: 1 } });
  expect(await env.children(foo, 'shop', { namespace: 'team' })).toHaveLength(1);
  await expect(
    env.apply({ apiVersion: 'example.net/v1', kind: 'Gadget', metadata: { name: 'x' } }),
  ).rejects.toThrow(
    'the embedded cluster does not serve Gadget of example.net/v1; apply its CustomResourceDefinition first, or pass the configuration that has its kind',
  );
});

test('a refusal by the API server is a RefusedError with its status', async () => {
  const env = await newEnvironment();
  const refused = env.apply(foo, {
    name: 'shop',
    spec: { deploymentName: 'shop', replicas: -1 },
  });
  await expect(refused).rejects.toBeInstanceOf(RefusedError);
  await expect(refused).rejects.toMatchObject({ status: { code: 422, reason: 'Invalid' } });
  await expect(refused).rejects.toThrow(/^cannot apply Foo shop: 422 Invalid: .*replicas/);
});

test('deleting a resource deletes its children', async () => {
  const env = await newEnvironment();
  await env.apply(foo, shop);
  await env.resync();
  await env.delete(foo, 'shop');
  expect(await env.list(deployment)).toEqual([]);
  await expect(env.children(foo, 'shop')).rejects.toThrow('there is no Foo default/shop');
});

test('a repair that others undo is left to a resync until 30 s have passed on the given clock', async () => {
  let now = Date.parse('2030-01-01T00:00:00Z');
  const env = await newEnvironment({ clock: () => new Date(now) });
  const scale = () => env.patch(deployment, 'shop', { body: { spec: { replicas: 5 } } });
  const replicas = async () => (await env.get(deployment, 'shop'))?.spec?.replicas;
  await env.apply(foo, shop);
  await env.resync();
  now += 60_000;
  await scale();
  await env.deliver();
  expect(await replicas()).toBe(2);
  now += 1000;
  await scale();
  await env.deliver();
  expect(await replicas()).toBe(5);
  now += 60_000;
  await scale();
  await env.patch(deployment, 'shop', { body: { spec: { replicas: 6 } } });
  await env.deliver();
  expect(await replicas()).toBe(2);
});

test('settings of kinds are read from the environment, or else from localEnvironment', async () => {
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
    await (await createTestEnvironment(reconciler, { environment })).close();
  expect(seen).toEqual(['http://local', 'http://other']);
});

const wrong: Readonly<Record<string, [(env: TestEnvironment) => unknown, RegExp]>> = {
  'a failure without its effect': [(env) => env.fail({ verb: 'patch' }), /needs either `status`/],
  'a failure with two effects': [
    (env) => env.fail({ status: 500, lost: 'response' }),
    /needs either `status`/,
  ],
  'an unknown verb': [
    (env) => env.fail({ verb: 'apply' as 'patch', status: 500 }),
    /fault\.verb.*patch/,
  ],
  'a request for an unknown kind': [
    (env) => env.resync({ kind: 'Bar' }),
    /this function reconciles Foo, Website/,
  ],
};

test.each(Object.entries(wrong))(
  '%s is refused, and the error names it',
  async (_, [act, says]) => {
    const env = await newEnvironment();
    await expect(Promise.try(act, env)).rejects.toThrow(says);
  },
);

test('an environment that is disposed of, or cannot be created, closes its port', async () => {
  let url = '';
  {
    await using env = await createTestEnvironment({ kinds: [foo] });
    url = env.cluster.url;
    await fetch(url);
  }
  await expect(fetch(url)).rejects.toThrow();
  await expect(createTestEnvironment({ kinds: [] })).rejects.toThrow('kinds is empty');
  await expect(createTestEnvironment({ kinds: [foo] }, { podsReadyAfterMs: -1 })).rejects.toThrow(
    /podsReadyAfterMs/,
  );
});

test('an environment of a named reconciler has its permissions, labels and Events', async () => {
  const env = await createTestEnvironment(defineConfig({ name: 'team-a', kinds: [foo] }));
  onTestFinished(() => env.close());
  expect(await env.get(clusterRoleType, 'team-a')).toBeDefined();
  await env.apply(foo, shop);
  await env.resync();
  const [child] = await env.children(foo, 'shop');
  expect(child?.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'team-a' });
  expect(await env.events(foo, 'shop')).toMatchObject([{ reportingComponent: 'team-a' }]);
});

const untypedCalls: Readonly<Record<string, [(env: TestEnvironment) => unknown, string]>> = {
  'a name instead of a type': [
    (env) => env.get('deployments' as never, 'shop'),
    'type is "deployments"; it must be a child type such as configMap, or a kind',
  ],
  'no name': [
    (env) => env.delete(deployment, undefined as never),
    'name is undefined; it must be a string',
  ],
  'a string instead of a place': [
    (env) => env.get(deployment, 'shop', 'team' as never),
    'where is "team"; it must be an object such as { namespace: \'team-a\' }',
  ],
  'a string instead of the place of a list': [
    (env) => env.list(deployment, 'team' as never),
    'where is "team"; it must be an object',
  ],
  'a kind without a resource': [
    (env) => env.apply(foo as never),
    'the object is an object; it must be a manifest with apiVersion, kind and metadata.name',
  ],
  'a resource without a name': [
    (env) => env.apply(foo, { spec: {} } as never),
    'resource is an object; it must be { name, spec }, where name is a string',
  ],
  'a patch without a body': [
    (env) => env.patch(foo, 'shop', { spec: {} } as never),
    'patch is an object; it must be an object with body: { body: { spec: … } }',
  ],
  'a replacement by nothing': [
    (env) => env.replace(deployment, {} as never),
    'the object is an object; it must be a manifest',
  ],
  'children of a string': [
    (env) => env.children('Foo' as never, 'shop'),
    'type is "Foo"; it must be a child type',
  ],
  'Events without a name': [
    (env) => env.events(foo, undefined as never),
    'name is undefined; it must be a string',
  ],
  'a missing failure': [
    async (env) => env.fail(undefined as never),
    'failure is undefined; it must be an object such as { status: 503 }',
  ],
  'an unknown loss': [
    async (env) => env.fail({ lost: 'both' as never }),
    'lost is "both"; it must be request or response',
  ],
  'a failure of a number': [
    async (env) => env.fail({ status: 503, resource: 1 as never }),
    "resource is 1; it must be a plural such as 'deployments', or a child type such as deployment",
  ],
};

test.each(Object.entries(untypedCalls))(
  '%s is refused, and the error names it',
  async (_, [act, says]) => {
    const env = await newEnvironment();
    await expect(act(env)).rejects.toThrow(says);
  },
);

const untypedOptions: Readonly<Record<string, [unknown, unknown, string]>> = {
  'no configuration': [
    undefined,
    {},
    'the configuration is undefined; it must be the result of defineConfig, or { kinds }',
  ],
  'no options': [{ kinds: [foo] }, null, 'options is null; it must be an object of environment, '],
  'a misspelt option': [
    { kinds: [foo] },
    { podsReadyAfter: 5 },
    'there is no option podsReadyAfter; did you mean podsReadyAfterMs?',
  ],
  'a log that is not a function': [
    { kinds: [foo] },
    { onLog: [] },
    'onLog is a list; it must be a function',
  ],
};

test.each(Object.entries(untypedOptions))(
  '%s of an environment is refused, and the error names it',
  async (_, [given, options, says]) => {
    await expect(createTestEnvironment(given as never, options as never)).rejects.toThrow(says);
  },
);
