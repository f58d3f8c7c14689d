import { describe, expect, it } from 'vitest';
import { configMap, secret } from '../../index.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { readsOf, targetOf } from '../../shared/plan/decision/target.ts';
import type { ObservedResource } from '../../shared/plan/observed/observed.ts';
import { type Found, keyOfReference, type World } from '../../shared/plan/observed/world.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { identity } from '../support/observe.ts';
import { shop } from '../support/shop.ts';

const world = (
  kind: World['kind'],
  spec: JsonObject,
  { reads = new Map(), name = identity.name }: { reads?: World['reads']; name?: string } = {},
): World => ({
  identity: { ...identity, name },
  kind,
  resource: {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    generation: 3,
    spec,
    status: {},
    applied: {},
  } as unknown as ObservedResource,
  ...(reads === undefined ? {} : { reads }),
  children: new Map(),
  absent: new Set(),
});
const plain = world(fooKind, { deploymentName: 'd', replicas: 1 });

describe('the digest of the objects that a resource refers to', () => {
  const spec = { settings: 's', tokens: ['t'] };
  const keyOf = (type: typeof configMap | typeof secret, name: string) =>
    keyOfReference({ type, namespace: 'n', name });
  const found = (digest: string, resourceVersion: string): Found => ({
    object: { name: 'x', digest },
    resourceVersion,
  });
  const reads = (settings: Found, token: Found) =>
    readsOf(
      world(shop, spec, {
        reads: new Map([
          [keyOf(configMap, 's'), settings],
          [keyOf(secret, 't'), token],
        ]),
      }),
    );
  const base = reads(found('1', '5'), found('secret-sha256:1', '5'));

  it.each([
    [
      'is the same if a ConfigMap has another label',
      reads(found('1', '6'), found('secret-sha256:1', '5')),
      true,
    ],
    ['differs if a ConfigMap does', reads(found('2', '6'), found('secret-sha256:1', '5')), false],
    ['differs if a ConfigMap is missing', reads({}, found('secret-sha256:1', '5')), false],
    [
      'differs if a Secret has another version',
      reads(found('1', '5'), found('secret-sha256:1', '6')),
      false,
    ],
    [
      'depends on the version of a Secret, not on its values: which would let a reader confirm a guess',
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

describe('the target of a resource', () => {
  it('differs once the resource wants something else', () => {
    const other = world(fooKind, { deploymentName: 'd', replicas: 2 });
    expect(targetOf(plain)).toMatch(/^[\w-]{12}$/);
    expect(targetOf(other)).not.toBe(targetOf(plain));
    expect(targetOf(world(shop, { settings: 's', tokens: [] }))).toBe('');
  });

  it('is the same for a reconciler of another name', () => {
    expect(targetOf(world(fooKind, { deploymentName: 'd', replicas: 1 }, { name: 'other' }))).toBe(
      targetOf(plain),
    );
  });
});
