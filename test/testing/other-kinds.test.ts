import { expect, test } from 'vitest';
import {
  type ChildType,
  child,
  configMap,
  defineConfig,
  defineKind,
  nameAtMost,
  objectName,
  secret,
  secretValue,
  Type,
} from '../../index.ts';
import { foo } from '../../systems/foo.ts';
import { expectReliable } from '../../testing/index.ts';
import type { Disturbance } from '../../testing/reliable/sequence.ts';
import { depot } from '../support/finalizing-kind.ts';

const realm = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Realm',
  plural: 'realms',
  spec: Type.Object({}),
  samples: [{ name: 'shop', spec: {} }],
  owns: [configMap, secret],
  children: ({ name }) => [
    child(configMap, { name, labels: { of: 'realm' }, body: { data: { realm: name } } }),
    child(secret, { name, body: {}, generated: { keys: ['token'], usedBy: [] } }),
  ],
});

const login = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Login',
  plural: 'logins',
  spec: Type.Object({ realm: Type.String({ minLength: 1, maxLength: 63, default: 'shop' }) }),
  samples: [{ name: 'one', spec: {} }],
  owns: [configMap, secret],
  reads: {
    realms: { type: configMap, selector: () => ({ matchLabels: { of: 'realm' } }) },
    token: { type: secret, name: ({ spec }) => spec.realm },
  },
  children: ({ name, spec, reads }) => [
    child(configMap, {
      name: objectName(`${name}-realms`),
      body: { data: Object.fromEntries(reads.realms.map((one) => [one.name, 'known'])) },
    }),
    child(secret, {
      name: objectName(`${name}-token`),
      body: {},
      templates: { token: secretValue(reads.token ?? { name: spec.realm }, 'token') },
    }),
  ],
});

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

const yard = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Yard',
  plural: 'yards',
  spec: Type.Object({}),
  rules: [nameAtMost(30)],
  samples: [{ name: 'one', spec: {} }],
  owns: [depot],
  children: ({ name }) => [child(depot, { name, body: { spec: { image: 'two' } } })],
});

const config = defineConfig({ kinds: [login, realm, team, foo, yard, depot] });
const shop = { apiVersion: 'example.org/v1', kind: 'Realm', metadata: { name: 'shop' }, spec: {} };
const disturbances: readonly Disturbance[] = [
  { annotated: true },
  { delivered: true },
  { behind: 1 },
  { dies: 3, when: 'before' },
];

test.each(disturbances)('a kind may read children of a given resource, with %j', async (how) => {
  const options = { kind: login, given: [shop], specs: [{}], disturbances: [how] };
  await expect(expectReliable(config, options)).resolves.toBeDefined();
});

test.each(disturbances)('a child may be a resource of another kind, with %j', async (how) => {
  const options = { kind: team, specs: [{}, {}], disturbances: [how, how] };
  await expect(expectReliable(config, options)).resolves.toBeDefined();
});

test.each(disturbances)(
  'a child may be a resource of a kind that cleans up, with %j',
  async (how) => {
    const options = { kind: yard, specs: [{}, {}], disturbances: [how, how] };
    await expect(expectReliable(config, options)).resolves.toBeDefined();
  },
);
