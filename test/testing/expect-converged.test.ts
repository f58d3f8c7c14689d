import { expect, test } from 'vitest';
import {
  type ChildType,
  child,
  configMap,
  defineConfig,
  defineKind,
  deployment,
  dnsLabel,
  horizontalPodAutoscaler,
  job,
  labelValue,
  nameAtMost,
  objectName,
  persistentVolumeClaim,
  pod,
  priorityClass,
  secret,
  service,
  storageClass,
  Type,
  workloadName,
} from '../../index.ts';
import { present } from '../../shared/json.ts';
import { foo } from '../../systems/foo.ts';
import { type AppliedObject, expectConverged } from '../../testing/index.ts';
import { board, note } from '../support/board.ts';
import { config, kinds } from '../support/config.ts';
import { shop } from '../support/shop.ts';
import { userSecret, vault } from '../support/vault.ts';

interface Expected {
  readonly children: number;
  /** A minimum, because the laws prove little if few changes are accepted. */
  readonly repaired: number;
  /** Some of the changes that are not tried, with their reasons. */
  readonly skipped?: Readonly<Record<string, RegExp>>;
}

const expected: Readonly<Record<string, Expected>> = {
  Website: {
    children: 2,
    repaired: 37,
    skipped: {
      'Deployment website-sample spec.selector.matchLabels.website changed': /^Invalid: .*selector/,
      'Service website-sample spec.ports[port=80,protocol="TCP"].protocol removed':
        /^the API server keeps the former value$/,
    },
  },
  Application: { children: 3, repaired: 52 },
  ContainerApp: { children: 5, repaired: 84 },
  Database: {
    children: 3,
    repaired: 67,
    skipped: {
      'Secret my-database-credentials deleted': /restored by hand/,
      'StatefulSet my-database spec.serviceName changed': /^Invalid: .*Forbidden/,
    },
  },
  Foo: { children: 1, repaired: 9 },
};

test.each(kinds)('$kind obeys the laws', async ({ kind }) => {
  const { children, repaired, skipped = {} } = expected[kind] ?? { children: 1, repaired: 1 };
  const found = await expectConverged(config, { kind });
  expect(found.children.length).toBeGreaterThanOrEqual(children);
  expect(found.repaired).toBeGreaterThanOrEqual(repaired);
  const reasons = found.skipped.map(({ child, field, how, why }) => [
    [child, field, how].filter(Boolean).join(' '),
    why,
  ]);
  expect(Object.fromEntries(reasons)).toMatchObject(
    Object.fromEntries(
      Object.entries(skipped).map(([what, why]) => [what, expect.stringMatching(why)]),
    ),
  );
});

const certificate: ChildType = {
  group: 'certs.example.net',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
};

const definition: AppliedObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'certificates.certs.example.net' },
  spec: {
    group: 'certs.example.net',
    scope: 'Namespaced',
    names: { kind: 'Certificate', plural: 'certificates' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  days: { type: 'integer', default: 90 },
                  hosts: { type: 'array', items: { type: 'string' } },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const site = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  spec: Type.Object({ host: Type.String() }),
  samples: [],
  owns: [certificate],
  children: ({ name, spec: { host } }) => [
    { type: certificate, name, body: { spec: { hosts: [host, `www.${host}`] } } },
  ],
});

const resource = { name: 'shop', namespace: 'team', spec: { host: 'example.com' } };

test('a child may be a custom resource whose CRD is given', async () => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
  const found = await expectConverged(site, { resource, given: [namespace, definition] });
  expect(found.children).toEqual(['Certificate shop']);
  // Two hosts and three labels are each changed and removed.
  expect(found).toMatchObject({ repaired: 10, skipped: [] });
});

test('a child may be a resource of another kind, which has its own children', async () => {
  const { group, version, kind, plural } = foo;
  const fooType: ChildType = { group, version, kind, plural };
  const team = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Team',
    plural: 'teams',
    spec: Type.Object({}),
    samples: [{ name: 'blue', spec: {} }],
    owns: [fooType],
    children: ({ name }) => [{ type: fooType, name, body: { spec: { deploymentName: name } } }],
  });
  const found = await expectConverged(defineConfig({ kinds: [team, foo] }), { kind: 'Team' });
  expect(found.children).toEqual(['Foo blue']);
});

test('a claim, a pod and a Job may be children, although their status has no generation', async () => {
  const containers = [{ name: 'app', image: 'nginx:1' }];
  const batch = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Batch',
    plural: 'batches',
    spec: Type.Object({}),
    rules: [nameAtMost(63)],
    samples: [{ name: 'nightly', spec: {} }],
    owns: [job, persistentVolumeClaim, pod],
    children: ({ name }) => [
      child(persistentVolumeClaim, {
        name,
        body: {
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'standard',
            resources: { requests: { storage: '1Gi' } },
          },
        },
      }),
      child(pod, { name, body: { spec: { containers, activeDeadlineSeconds: 3_600 } } }),
      child(job, {
        name,
        body: {
          spec: {
            parallelism: 1,
            backoffLimit: 2,
            ttlSecondsAfterFinished: 60,
            suspend: true,
            template: { spec: { containers, restartPolicy: 'Never' } },
          },
        },
      }),
    ],
  });
  const found = await expectConverged(batch);
  expect(found.children).toEqual(['PersistentVolumeClaim nightly', 'Pod nightly', 'Job nightly']);
  expect(found.repaired).toBeGreaterThan(0);
  // A Pod's deadline can only be shortened.
  expect(found.skipped).toContainEqual({
    child: 'Pod nightly',
    field: 'spec.activeDeadlineSeconds',
    how: 'changed',
    why: expect.stringMatching(/^ImmutableFieldChanged: Pod nightly: .* cannot be changed/),
  });
});

const { Object: object, Integer: integer } = Type;
const names = { group: 'example.org', version: 'v1' };

const disk = defineKind({
  ...names,
  kind: 'Disk',
  plural: 'disks',
  spec: object({ size: integer({ default: 1 }) }),
  samples: [{ name: 'disk', spec: {} }],
  owns: [],
  children: () => [],
});

const machine = defineKind({
  ...names,
  kind: 'Machine',
  plural: 'machines',
  spec: object({}),
  samples: [{ name: 'one', spec: {} }],
  owns: [disk, deployment],
  children({ name }) {
    const matchLabels = { machine: labelValue(name) };
    const env = [
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
    ];
    const ports = [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] as const;
    const containers = [{ name: 'app', image: 'nginx:1', env, ports }];
    return [
      child(disk, { name: objectName(name), body: { spec: {} } }),
      child(deployment, {
        name: workloadName(name),
        body: {
          spec: {
            strategy: {},
            selector: { matchLabels },
            template: { metadata: { labels: matchLabels }, spec: { containers } },
          },
        },
      }),
    ];
  },
});

test('defaults below an empty map and beside a reference are not fields of the kind, but a host port is', async () => {
  const { children, repaired } = await expectConverged(defineConfig({ kinds: [disk, machine] }), {
    kind: 'Machine',
  });
  expect(children).toEqual(['Disk one', 'Deployment one']);
  expect(repaired).toBeGreaterThanOrEqual(20);
});

test('a node port that the API server assigns again is no difference', async () => {
  const game = defineKind({
    ...names,
    kind: 'Game',
    plural: 'games',
    spec: object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [service],
    children({ name }) {
      const balanced = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' } as const;
      const ports = [{ port: 80, protocol: 'TCP' }] as const;
      const spec = { ...balanced, selector: { game: labelValue(name) }, ports };
      return [child(service, { name: dnsLabel(name), body: { spec } })];
    },
  });
  const { repaired, warnings } = await expectConverged(game);
  expect(repaired).toBeGreaterThanOrEqual(8);
  expect(warnings).toEqual([]);
});

test('a selector that matches none of the children is a warning', async () => {
  const site = defineKind({
    ...names,
    kind: 'Site',
    plural: 'sites',
    spec: object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [pod, service],
    children: ({ name }) => [
      child(pod, {
        name,
        labels: { site: labelValue(name) },
        body: { spec: { containers: [{ name: 'app', image: 'nginx:1' }] } },
      }),
      child(service, {
        name: dnsLabel(name),
        body: { spec: { selector: { site: 'two' }, ports: [{ port: 80, protocol: 'TCP' }] } },
      }),
    ],
  });
  expect((await expectConverged(site)).warnings).toEqual([
    'Service one: spec.selector {"site":"two"} selects no pods of the other children; those of Pod one have {"site":"one"}',
  ]);
});

test('fields are changed together, so that a large child takes few runs', async () => {
  let calls = 0;
  const index = Array.from({ length: 60 }, (_, at) => at);
  const large = defineKind({
    ...names,
    kind: 'Large',
    plural: 'larges',
    spec: object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap, deployment],
    children({ name }) {
      calls++;
      const matchLabels = { large: labelValue(name) };
      const env = index.map((at) => ({ name: `NAME_${at}`, value: `value ${at}` }));
      const args = index.slice(0, 5).map(String);
      const containers = [{ name: 'app', image: 'nginx:1', args, env }];
      const template = { metadata: { labels: matchLabels }, spec: { containers } };
      const spec = { selector: { matchLabels }, template };
      const data = Object.fromEntries(index.map((at) => [`key-${at}`, `value ${at}`]));
      return [
        child(configMap, { name, body: { data } }),
        child(deployment, { name: workloadName(name), body: { spec } }),
      ];
    },
  });
  const { repaired, skipped } = await expectConverged(large);
  // Each value is changed and removed, each name changed.
  expect(repaired).toBeGreaterThanOrEqual(5 * index.length);
  const unnamed = skipped.filter(
    ({ field = '', how }) => /env.*[.]name$/.test(field) && how === 'removed',
  );
  expect(unnamed).toHaveLength(index.length);
  expect(calls).toBeLessThan(1.5 * repaired);
});

test('a change of an immutable field of a cluster-scoped child is reported as skipped', async () => {
  const tier = defineKind({
    ...names,
    kind: 'Tier',
    plural: 'tiers',
    scope: 'Cluster',
    spec: object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [priorityClass, storageClass],
    children: ({ name }) => [
      child(priorityClass, { name, body: { value: 7, preemptionPolicy: 'Never' } }),
      child(storageClass, {
        name,
        body: {
          provisioner: 'example.org/disk',
          reclaimPolicy: 'Retain',
          parameters: { a: '1' },
          volumeBindingMode: 'WaitForFirstConsumer',
        },
      }),
    ],
  });
  const { skipped } = await expectConverged(tier);
  expect([...new Set(skipped.map(({ field }) => field))]).toEqual([
    'preemptionPolicy',
    'value',
    'parameters.a',
    'provisioner',
    'reclaimPolicy',
    'volumeBindingMode',
  ]);
});

test('one of several kinds may be selected by its definition', async () => {
  const { children } = await expectConverged(config, { kind: foo });
  expect(children).toEqual(['Deployment foo-sample']);
});

const untyped = (options: unknown) => () => expectConverged(foo, options as never);

const wrong: Readonly<Record<string, [() => Promise<unknown>, string]>> = {
  'several kinds': [
    () => expectConverged(config),
    `option kind must name one of ${kinds.map(({ kind }) => kind).join(', ')}`,
  ],
  'an unknown kind': [() => expectConverged(config, { kind: 'Bar' }), 'must name one of '],
  'a kind without a configuration': [
    () => expectConverged(config, { kind: site }),
    'option kind must name one of ',
  ],
  'a list of kinds': [
    () => expectConverged([foo] as never),
    'the first argument is a list; it must be a kind, or the result of defineConfig',
  ],
  'options that are null': [untyped(null), 'options is null; it must be an object of kind, '],
  'a misspelt option': [
    untyped({ ressource: {} }),
    'there is no option ressource; did you mean resource?',
  ],
  'a name instead of a resource': [
    untyped({ resource: 'one' }),
    'resource is "one"; it must be { name, spec }, where name is a string',
  ],
  'one object instead of a list': [
    untyped({ given: { kind: 'ConfigMap' } }),
    'given is an object; it must be a list of manifests',
  ],
  'an object without a name': [
    untyped({ given: [{ apiVersion: 'v1', kind: 'ConfigMap' }] }),
    'given[0] is an object; it must be a manifest with apiVersion, kind and metadata.name',
  ],
  'a number in the environment': [
    untyped({ environment: { CONCURRENCY: 3 } }),
    "environment is an object; it must be an object of strings such as { PRUNE_LIMIT: '5' }",
  ],
  'no resource': [() => expectConverged(site), 'Site has no samples; pass a resource'],
  'no definition': [
    () => expectConverged(site, { resource: { ...resource, namespace: 'default' } }),
    'the embedded cluster does not serve certificates of certs.example.net/v1; apply its CustomResourceDefinition first, or pass the configuration that has its kind',
  ],
};

test.each(Object.entries(wrong))(
  '%s is refused, and the error names it',
  async (_, [act, says]) => {
    await expect(act()).rejects.toThrow(says);
  },
);

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };

test('a kind that reads a ConfigMap and Secrets keeps the laws', async () => {
  const token = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' } };
  const { skipped } = await expectConverged(shop, {
    resource: { name: 'one', spec: { settings: 'settings', tokens: ['token', 'missing'] } },
    given: [
      { ...settings, data: { tag: 'v1', unused: 'x' } },
      { ...token, data: { token: 'MQ==' } },
    ],
  });
  expect(skipped.filter(({ child }) => !child.startsWith('Deployment'))).toEqual([]);
});

test('a kind that selects ConfigMaps keeps the laws with each of them', async () => {
  const notes = ['a', 'b'].map((name) => note(name));
  const { skipped } = await expectConverged(board, { given: notes });
  expect(skipped.filter(({ child }) => child !== 'ConfigMap board-list')).toEqual([]);
});

test('a kind with a Secret made of other Secrets keeps the laws with each of them', async () => {
  const { repaired, skipped } = await expectConverged(vault, { given: [userSecret('user', 'a')] });
  expect(repaired).toBeGreaterThan(10);
  const ofSecrets = skipped.filter(({ child }) => child.startsWith('Secret'));
  expect(ofSecrets.map(({ child, how }) => `${child} ${how}`)).toEqual([
    'Secret vault-password deleted',
  ]);
});

const pending = { reason: 'NoAdmin', message: 'there is no admin yet', transient: true } as const;

test('a kind that reads its own Secret with a fixed and a generated value keeps the laws', async () => {
  const signOn = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'SignOn',
    plural: 'signons',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [secret, configMap],
    reads: { admin: { type: secret, name: ({ name }) => objectName(`${name}-admin`) } },
    children: ({ name, reads: { admin } }) => [
      child(secret, {
        name: objectName(`${name}-admin`),
        body: { type: 'kubernetes.io/basic-auth', data: { username: 'YWRtaW4=' } },
        generated: { keys: ['password'], usedBy: [] },
      }),
      child(configMap, {
        name,
        body: { data: { admin: admin?.digest ?? '' } },
        ...present({ blocked: admin === undefined ? pending : undefined }),
      }),
    ],
  });
  const { repaired } = await expectConverged(signOn);
  expect(repaired).toBeGreaterThan(0);
});

test('the error says why a child is not restored', async () => {
  const frozen = { reason: 'Frozen', message: 'it differs', transient: true } as const;
  const freezer = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Freezer',
    plural: 'freezers',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap],
    reads: { own: { type: configMap, name: ({ name }) => name } },
    children: ({ name, reads: { own } }) => {
      const blocked = own === undefined || own.data?.a === '1' ? undefined : frozen;
      return [child(configMap, { name, body: { data: { a: '1' } }, ...present({ blocked }) })];
    },
  });
  await expect(expectConverged(freezer)).rejects.toThrow(
    /restored by the next run":\n {2}ConfigMap one: data\.a was changed.*\n.*\n {2}Frozen: it differs$/,
  );
});

test('the error names a change after which a kind does not settle', async () => {
  let calls = 0;
  const restless = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Restless',
    plural: 'restlesses',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap],
    reads: { settings: { type: configMap, name: () => 'settings' } },
    children: ({ name, reads }) => {
      const tag = reads.settings?.data?.tag ?? '';
      const text = tag.endsWith('-changed') ? `${++calls}` : tag;
      return [child(configMap, { name, body: { data: { text } } })];
    },
  });
  await expect(
    expectConverged(restless, { given: [{ ...settings, data: { tag: 'v1' } }] }),
  ).rejects.toThrow(
    /^Restless default\/one breaks the law "after a change to an object that the kind reads.*\n {2}data\.tag of ConfigMap settings was changed, but the run/,
  );
});

test('a Job that has ended is not run again', async () => {
  const task = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Task',
    plural: 'tasks',
    owns: [job],
    spec: Type.Object({}),
    samples: [{ name: 'task', spec: {} }],
    children: ({ name }) => [
      child(job, {
        name: workloadName(name),
        body: {
          spec: {
            ttlSecondsAfterFinished: 3600,
            template: {
              spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'x:1' }] },
            },
          },
        },
      }),
    ],
  });
  const { skipped } = await expectConverged(defineConfig({ kinds: [task] }), { kind: 'Task' });
  expect(skipped).toContainEqual({
    child: 'Job task',
    how: 'deleted',
    why: 'it is complete',
  });
});

test('problems that generate finds in samples are found in any resource', async () => {
  const farm = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Farm',
    plural: 'farms',
    spec: Type.Object({ isScaled: Type.Boolean({ default: false }) }),
    samples: [{ name: 'farm-sample', spec: {} }],
    owns: [deployment, horizontalPodAutoscaler],
    children({ name, spec: { isScaled } }) {
      const labels = { farm: labelValue(name) };
      const template = {
        metadata: { labels },
        spec: { containers: [{ name: 'a', image: 'a:1' }] },
      };
      const web = { type: deployment, name: workloadName(name) };
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: web.name };
      return [
        child(deployment, {
          ...web,
          body: { spec: { replicas: 1, selector: { matchLabels: labels }, template } },
        }),
        ...(isScaled
          ? [
              child(horizontalPodAutoscaler, {
                name: objectName(name),
                actsOn: web,
                body: { spec: { scaleTargetRef, maxReplicas: 3 } },
              }),
            ]
          : []),
      ];
    },
  });
  await expectConverged(farm);
  const resource = { name: 'scaled', spec: { isScaled: true } };
  await expect(expectConverged(farm, { resource })).rejects.toThrow(
    /Farm default\/scaled breaks the law "`generate` finds no problem with the kind":\n +HorizontalPodAutoscaler scaled: it scales Deployment scaled, whose body sets spec.replicas to 1/,
  );
});

const base = { group: 'example.org', version: 'v1', spec: Type.Object({}) };

/** A kind whose status has an address, and a kind that waits for it. */
function addressed(textOf: () => string) {
  const server = defineKind({
    ...base,
    kind: 'Server',
    plural: 'servers',
    samples: [{ name: 'a', spec: {} }],
    owns: [configMap],
    status: { url: Type.String() },
    children: ({ name }) => [child(configMap, { name, body: { data: { value: textOf() } } })],
    statusOf: ({ name }) => ({ url: `http://${name}` }),
  });
  const client = defineKind({
    ...base,
    kind: 'Client',
    plural: 'clients',
    samples: [{ name: 'b', spec: {} }],
    owns: [configMap],
    reads: { server: { type: server, name: () => 'a' } },
    children({ name, reads: { server: found } }) {
      const url = found?.status?.url;
      const blocked = { reason: 'ServerPending', message: 'Server a is pending', transient: true };
      const body = { data: { url: url ?? '' } };
      return [child(configMap, { name, body, ...present({ blocked: url ? undefined : blocked }) })];
    },
  });
  const given = [
    { apiVersion: 'example.org/v1', kind: 'Server', metadata: { name: 'a' }, spec: {} },
  ];
  const whole = defineConfig({ kinds: [server, client] });
  return expectConverged(whole, { kind: client, given });
}

test('a given resource of another kind is reconciled first', async () => {
  const { children } = await addressed(() => 'x');
  expect(children).toEqual(['ConfigMap b']);
});

test('a given resource that never settles is named', async () => {
  let runs = 0;
  await expect(addressed(() => `${++runs}`)).rejects.toThrow(
    'given: Server a had not settled after 12 runs; test the kind by itself first',
  );
});
