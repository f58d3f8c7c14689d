import { describe, expect, test } from 'vitest';
import {
  type Child,
  child,
  configMap,
  defineKind,
  objectName,
  persistentVolumeClaim,
  secret,
  Type,
} from '../../index.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { expectReliable } from '../../testing/index.ts';

const users: Record<string, (name: string) => Child> = {
  'a ConfigMap': (name) => child(configMap, { name, body: { data: { a: 'b' } } }),
  'a claim': (name) =>
    child(persistentVolumeClaim, {
      name,
      body: {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    }),
};

/** A kind with a generated Secret, whose user is created after it. */
function vaultOf(user: (name: string) => Child, state: Pick<Child, 'blocked'> = {}): Kind {
  return defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Vault',
    plural: 'vaults',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [secret, configMap, persistentVolumeClaim],
    children({ name }) {
      const used = user(objectName(name));
      const generated = { keys: ['password'], usedBy: [used] };
      return [child(secret, { name: objectName(name), body: {}, generated, ...state }), used];
    },
  });
}

describe.each(Object.entries(users))('expectReliable does not miss %s', (_, user) => {
  test('while admission refuses the generated Secret that it uses', async () => {
    const tried = { specs: [{}, {}], disturbances: [{ denied: 0 }, { denied: 0 }] };
    expect((await expectReliable(vaultOf(user), tried)).sequences).toBe(1);
  });

  test('while the generated Secret that it uses is blocked', async () => {
    const blocked = { reason: 'NotNow', message: 'not now' };
    const tried = await expectReliable(vaultOf(user, { blocked }), { specs: [{}] });
    expect(tried.sequences).toBe(1);
  });
});
