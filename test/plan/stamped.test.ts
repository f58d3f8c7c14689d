import { describe, expect, it } from 'vitest';
import { configMap, secret } from '../../index.ts';
import { appliedAnnotation } from '../../shared/kinds/names.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { readsOf, stamped, stampOf, targetOf } from '../../shared/plan/decision/stamped.ts';
import type { ObservedResource } from '../../shared/plan/observed/observed.ts';
import { readStamp } from '../../shared/plan/observed/stamp.ts';
import { type Found, keyOfReference, type World } from '../../shared/plan/observed/world.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { identity } from '../support/observe.ts';
import { shop } from '../support/shop.ts';

const resource = (spec: JsonObject) =>
  ({
    name: 'a',
    namespace: 'n',
    uid: 'u',
    generation: 3,
    spec,
    status: {},
  }) as unknown as ObservedResource;
const world = (
  kind: World['kind'],
  spec: JsonObject,
  reads: World['reads'] = new Map(),
): World => ({
  identity,
  kind,
  resource: resource(spec),
  reads,
  children: new Map(),
  absent: new Set(),
});
const plain = world(fooKind, { deploymentName: 'd', replicas: 1 });
const fields = { spec: { replicas: 1 }, metadata: { labels: { app: 'a' } } };

describe('the stamp of an apply', () => {
  it.each([
    ['another field', { ...fields, spec: { replicas: 2 } }, false],
    ['another label', { ...fields, metadata: { labels: { app: 'b' } } }, false],
    ['fields in another order', { metadata: fields.metadata, spec: fields.spec }, true],
    [
      'another name of the reconciler',
      { ...fields, metadata: { labels: { app: 'a', 'app.kubernetes.io/managed-by': 'x' } } },
      true,
    ],
    [
      'another version of the kind',
      { ...fields, metadata: { ...fields.metadata, ownerReferences: [{ apiVersion: 'b' }] } },
      true,
    ],
  ])('%s', (_, other, isSame) => {
    const [one, two] = [fields, other].map((each) => stampOf(each, plain).fields);
    expect(one === two).toBe(isSame);
  });

  it('is sent with the fields, beside other annotations', () => {
    const given = { ...fields, metadata: { annotations: { a: 'b' } } };
    const { metadata } = stamped(given, plain, undefined) as unknown as {
      metadata: { annotations: Record<string, string>; name: string; uid: string };
    };
    expect(metadata.annotations.a).toBe('b');
    expect(metadata.annotations[appliedAnnotation]).toMatch(/^3\.[0-9a-f]{16}$/);
    expect(readStamp({ metadata: metadata as never })).toEqual(stampOf(given, plain));
  });
});

it('stays as it is while the same is applied, so that a repair changes nothing else', () => {
  const before = { ...stampOf(fields, plain), generation: 1 };
  const stampIn = (given: JsonObject) =>
    readStamp(stamped(given, plain, before) as unknown as Parameters<typeof readStamp>[0]);
  expect(stampIn(fields)?.generation).toBe(1);
  expect(stampIn({ ...fields, spec: { replicas: 2 } })?.generation).toBe(3);
});

describe('the digest of what a resource refers to', () => {
  const spec = { settings: 's', tokens: ['t'] };
  const keyOf = (type: typeof configMap | typeof secret, name: string) =>
    keyOfReference({ type, namespace: 'n', name });
  const found = (digest: string, resourceVersion: string): Found => ({
    object: { name: 'x', digest },
    resourceVersion,
  });
  const reads = (settings: Found, token: Found) =>
    readsOf(
      world(
        shop,
        spec,
        new Map([
          [keyOf(configMap, 's'), settings],
          [keyOf(secret, 't'), token],
        ]),
      ),
    );
  const base = reads(found('1', '5'), found('secret-sha256:1', '5'));

  it.each([
    ['a ConfigMap with another label', reads(found('1', '6'), found('secret-sha256:1', '5')), true],
    ['another ConfigMap', reads(found('2', '6'), found('secret-sha256:1', '5')), false],
    ['no ConfigMap', reads({}, found('secret-sha256:1', '5')), false],
    ['a Secret of another version', reads(found('1', '5'), found('secret-sha256:1', '6')), false],
    [
      'a Secret by its version alone, as a digest would confirm a guess',
      reads(found('1', '5'), found('secret-sha256:2', '5')),
      true,
    ],
  ])('%s', (_, other, isSame) => {
    expect(other === base).toBe(isSame);
  });

  it('is absent for a kind that refers to nothing', () => {
    expect(readsOf(plain)).toBeUndefined();
  });
});

it('the target of a resource is another once it wants something else', () => {
  const other = world(fooKind, { deploymentName: 'd', replicas: 2 });
  expect(targetOf(plain)).toMatch(/^[0-9a-f]{16}$/);
  expect(targetOf(other)).not.toBe(targetOf(plain));
  expect(targetOf(world(shop, { settings: 's', tokens: [] }))).toBe('');
});
