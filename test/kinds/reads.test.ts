import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  child,
  configMap,
  defineChildType,
  defineKind,
  deployment,
  namespace,
  persistentVolumeClaim,
  rollOnChange,
  secret,
  Type,
} from '../../index.ts';
import { present } from '../../shared/json.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { digestOf } from '../../shared/kinds/names.ts';
import type { ReadDefinition, ReferenceName } from '../../shared/kinds/reads.ts';
import { foo } from '../../systems/foo.ts';

const spec = Type.Object({ one: Type.Optional(Type.String()), many: Type.Array(Type.String()) });

const endpoint = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Endpoint',
  plural: 'endpoints',
  spec,
  status: { address: Type.Optional(Type.String()) },
  samples: [],
  owns: [],
  children: () => [],
});
const certificate = defineChildType({
  group: 'cert.example.org',
  version: 'v1',
  kind: 'Certificate',
  plural: 'certificates',
});

const received: unknown[] = [];
const reader = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Reader',
  plural: 'readers',
  spec,
  samples: [],
  owns: [deployment],
  reads: {
    config: { type: configMap, name: ({ spec: { one } }) => one },
    secrets: { type: secret, names: ({ spec: { many } }) => many },
    endpoint: { type: endpoint, name: ({ name }) => name },
    certificate: { type: certificate, name: () => 'tls' },
    claims: { type: persistentVolumeClaim },
  },
  children({ reads }) {
    received.push(reads);
    expectTypeOf(reads.config?.data).toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
    expectTypeOf(reads.secrets[0]?.keys).toEqualTypeOf<readonly string[] | undefined>();
    // @ts-expect-error the object may be missing
    expect(() => reads.config.data).toBeDefined();
    // @ts-expect-error values of a Secret are not passed on
    expect(reads.secrets[0]?.data).toBeUndefined();
    // @ts-expect-error the kind reads no such object
    expect(reads.other).toBeUndefined();
    expectTypeOf(reads.endpoint?.spec.many).toEqualTypeOf<string[] | undefined>();
    expectTypeOf(reads.endpoint?.status?.address).toEqualTypeOf<string | undefined>();
    expectTypeOf(reads.claims).toEqualTypeOf<undefined>();
    expect(reads.certificate?.spec).toBeUndefined();
    return [];
  },
});

const resource = {
  name: 'r',
  namespace: 'team',
  uid: 'u',
  createdAt: '2026-01-01T00:00:00Z',
  spec: { one: 'c', many: ['a', 'b'] },
};

describe('the objects that children() receives', () => {
  it('is one object or a list in the order of the names, undefined for an object that does not exist', () => {
    const object = { name: 'b', keys: [], digest: 'd' };
    received.length = 0;
    reader.desired(resource, ({ name }) => (name === 'b' ? object : undefined));
    expect(received).toEqual([
      {
        config: undefined,
        secrets: [undefined, object],
        endpoint: undefined,
        certificate: undefined,
      },
    ]);
  });

  it('is undefined or an empty list if the resource refers to nothing', () => {
    received.length = 0;
    reader.desired({ ...resource, spec: { many: [] } });
    expect(received).toEqual([expect.objectContaining({ config: undefined, secrets: [] })]);
  });

  it('comes from the namespace of the resource', () => {
    expect(reader.references(resource)).toEqual([
      { type: configMap, namespace: 'team', name: 'c' },
      { type: secret, namespace: 'team', name: 'a' },
      { type: secret, namespace: 'team', name: 'b' },
      { type: endpoint, namespace: 'team', name: 'r' },
      { type: certificate, namespace: 'team', name: 'tls' },
    ]);
    expect(foo.references({ ...resource, spec: 'invalid' })).toEqual([]);
    expect(reader.references({ ...resource, spec: 7 })).toHaveProperty('invalid');
  });

  it('excludes types that only usedBy reads', () => {
    expect(reader.refersTo).toEqual([configMap, secret, endpoint, certificate]);
  });
});

describe('a cluster-scoped kind', () => {
  const team = (
    name: () => ReferenceName,
    from: ReadDefinition<unknown>['from'] | 'unset' = 'all',
  ) =>
    defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Team',
      plural: 'teams',
      spec,
      scope: 'Cluster',
      samples: [],
      owns: [],
      reads: {
        it: { type: configMap, name, ...present({ from: from === 'unset' ? undefined : from }) },
        place: { type: namespace, name: () => 'a' },
      },
      children: () => [],
    });
  const red = { ...resource, namespace: '' };

  it('names a namespace, unless the type of the object is cluster-scoped', () => {
    expect(team(() => ({ namespace: 'a', name: 'c' })).references(red)).toEqual([
      { type: configMap, namespace: 'a', name: 'c' },
      { type: namespace, namespace: '', name: 'a' },
    ]);
  });

  it.each([
    [
      'a name without a namespace',
      () => 'c',
      'return { namespace, name }, because the resource has no namespace',
    ],
  ])('gets an error for %s', (_, name, want) => {
    expect(() => team(name).references(red)).toThrow(want);
  });

  it('says in which namespaces it reads, because authors of specs could name any', () => {
    const name = () => ({ namespace: 'a', name: 'c' });
    expect(() => team(name, 'unset')).toThrow(
      "Team: reads.it: a cluster-scoped resource has no namespace to read in by default; set `from` to 'granted', 'all' or a list of namespaces",
    );
    expect(team(name, ['b']).references(red)).toEqual({
      invalid: 'ConfigMap a/c is not in a namespace that the kind reads (reads.it)',
    });
  });

  it('is refused for an illegal namespace', () => {
    expect(team(() => ({ namespace: 'a/b', name: 'c' })).references(red)).toEqual({
      invalid: '"a/b/c" is not a valid ConfigMap name (reads.it)',
    });
  });

  it('is not read by a namespaced kind, which reads its own namespace only', () => {
    const inNamespace = (type: ChildType, name: () => ReferenceName) =>
      defineKind({
        group: 'example.org',
        version: 'v1',
        kind: 'App',
        plural: 'apps',
        spec,
        samples: [],
        owns: [],
        reads: { it: { type, name } },
        children: () => [],
      });
    expect(() => inNamespace(namespace, () => 'a')).toThrow(
      "App: reads.it: its type is cluster-scoped, and a namespaced kind cannot read it; make the kind cluster-scoped (scope: 'Cluster')",
    );
    const elsewhere = inNamespace(configMap, () => ({ namespace: 'other', name: 'c' }));
    expect(() => elsewhere.references(resource)).toThrow('return the name alone');
  });
});

const config = 'serverless-reconciler/config-digest';
const hidden = 'serverless-reconciler/secret-digest';

describe('annotations that roll pods for', () => {
  const readSecret = { name: 's', digest: 'secret-sha256:1' };
  const readConfig = { name: 'c', digest: '2' };
  const desired = child(secret, { name: 's', body: { data: { a: 'MQ==' } } });

  it.each([
    { given: [], want: {}, reason: 'no object' },
    { given: [undefined], want: {}, reason: 'an object that does not exist' },
    { given: [readConfig], want: { [config]: '2' }, reason: 'a ConfigMap' },
    {
      given: [readSecret],
      want: { [hidden]: 'secret-sha256:1' },
      reason: 'a Secret, whose digest is never shown',
    },
    {
      given: [readSecret, readConfig],
      want: { [config]: '2', [hidden]: 'secret-sha256:1' },
      reason: 'one of each type',
    },
    {
      given: [desired],
      want: { [hidden]: digestOf({ a: 'MQ==' }) },
      reason: 'a child, by the digest that earlier versions wrote',
    },
    {
      given: [readConfig, { name: 'd', digest: '2' }],
      want: {
        [config]: digestOf([
          ['c', '2'],
          ['d', '2'],
        ]),
      },
      reason: 'several objects of a type',
    },
    {
      given: [
        child(configMap, { name: 'c', body: { data: { a: '1' }, binaryData: { b: 'MQ==' } } }),
      ],
      want: { [config]: digestOf([{ a: '1' }, { b: 'MQ==' }]) },
      reason: 'both parts of a ConfigMap',
    },
    {
      given: [
        child(secret, {
          name: 's',
          body: {},
          generated: { keys: ['a'], rotation: '', usedBy: [] },
        }),
      ],
      want: { [hidden]: digestOf(null) },
      reason: 'a child without a rotation, because an empty one generates nothing',
    },
  ])('$reason', ({ given, want }) => {
    expect(rollOnChange(...given)).toEqual(want);
  });
});
