import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  child,
  configMap,
  defineChildType,
  defineKind,
  deployment,
  persistentVolumeClaim,
  rollOnChange,
  secret,
  Type,
} from '../../index.ts';
import { digestOf } from '../../shared/kinds/names.ts';
import { foo } from '../../systems/foo.ts';

const spec = Type.Object({ one: Type.Optional(Type.String()), many: Type.Array(Type.String()) });

const endpoint = defineKind({
  ...{ group: 'example.org', version: 'v1', kind: 'Endpoint', plural: 'endpoints', spec },
  status: { address: Type.Optional(Type.String()) },
  ...{ samples: [], owns: [], children: () => [] },
});
const certificate = defineChildType({
  ...{ group: 'cert.example.org', version: 'v1', kind: 'Certificate', plural: 'certificates' },
});

const received: unknown[] = [];
const reader = defineKind({
  ...{ group: 'example.org', version: 'v1', kind: 'Reader', plural: 'readers', spec },
  ...{ samples: [], owns: [deployment] },
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
    // @ts-expect-error it may be missing
    expect(() => reads.config.data).toBeDefined();
    // @ts-expect-error no value of a Secret
    expect(reads.secrets[0]?.data).toBeUndefined();
    // @ts-expect-error a field that no reading has
    expect(reads.other).toBeUndefined();
    expectTypeOf(reads.endpoint?.spec.many).toEqualTypeOf<string[] | undefined>();
    expectTypeOf(reads.endpoint?.status?.address).toEqualTypeOf<string | undefined>();
    expectTypeOf(reads.claims).toEqualTypeOf<undefined>();
    expect(reads.certificate?.spec).toBeUndefined();
    return [];
  },
});

const resource = { name: 'r', namespace: 'team', uid: 'u', spec: { one: 'c', many: ['a', 'b'] } };

describe('what children receive', () => {
  it('one object or a list, in the order of the names, undefined for what does not exist', () => {
    const object = { name: 'b', keys: [], digest: 'd' };
    received.length = 0;
    reader.desired(resource, ({ name }) => (name === 'b' ? object : undefined));
    expect(received).toEqual([
      {
        ...{ config: undefined, secrets: [undefined, object] },
        ...{ endpoint: undefined, certificate: undefined },
      },
    ]);
  });

  it('nothing where the resource refers to nothing', () => {
    received.length = 0;
    reader.desired({ ...resource, spec: { many: [] } });
    expect(received).toEqual([expect.objectContaining({ config: undefined, secrets: [] })]);
  });

  it('references are in the namespace of the resource', () => {
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

  it('types that only usedBy reads are not referred to', () => {
    expect(reader.refersTo).toEqual([configMap, secret, endpoint, certificate]);
  });
});

const config = 'serverless-reconciler/config-digest';
const hidden = 'serverless-reconciler/secret-digest';

describe('annotations that roll pods', () => {
  const readSecret = { name: 's', digest: 'secret-sha256:1' };
  const readConfig = { name: 'c', digest: '2' };
  const wanted = child(secret, { name: 's', body: { data: { a: 'MQ==' } } });

  it.each([
    { given: [], want: {}, reason: 'nothing' },
    { given: [undefined], want: {}, reason: 'what does not exist' },
    { given: [readConfig], want: { [config]: '2' }, reason: 'a ConfigMap' },
    { given: [readSecret], want: { [hidden]: 'secret-sha256:1' }, reason: 'a Secret, never shown' },
    {
      given: [readSecret, readConfig],
      want: { [config]: '2', [hidden]: 'secret-sha256:1' },
      reason: 'one of each',
    },
    {
      given: [wanted],
      want: { [hidden]: digestOf({ a: 'MQ==' }) },
      reason: 'a child, as it was before there was this function',
    },
    {
      given: [readConfig, { name: 'd', digest: '2' }],
      want: {
        [config]: digestOf([
          ['c', '2'],
          ['d', '2'],
        ]),
      },
      reason: 'several of a kind',
    },
    {
      given: [
        child(configMap, { name: 'c', body: { data: { a: '1' }, binaryData: { b: 'MQ==' } } }),
      ],
      want: { [config]: digestOf([{ a: '1' }, { b: 'MQ==' }]) },
      reason: 'both parts of a ConfigMap',
    },
  ])('$reason', ({ given, want }) => {
    expect(rollOnChange(...given)).toEqual(want);
  });
});
