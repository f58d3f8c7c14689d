import { expect, test } from 'vitest';
import { child, defineKind, objectName, secret, secretValue, Type, template } from '../../index.ts';
import { expectConverged, expectReliable } from '../../testing/index.ts';

const kind = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Valkey',
  plural: 'valkeys',
  spec: Type.Object({ user: Type.String({ pattern: '^[a-z]{1,9}$', default: 'app' }) }),
  refuse: ({ user }) => (user === 'root' ? 'root is reserved' : undefined),
  samples: [{ name: 'one', spec: {} }],
  owns: [secret],
  reads: {
    passwords: { type: secret, name: ({ name }) => objectName(`${name}-passwords`) },
    acl: { type: secret, name: ({ name }) => objectName(`${name}-acl`) },
  },
  children({ name, spec: { user }, reads }) {
    const passwords = reads.passwords ?? { name: objectName(`${name}-passwords`) };
    const acl = objectName(`${name}-acl`);
    return [
      child(secret, {
        name: passwords.name,
        body: {},
        generated: { keys: ['password'], usedBy: [] },
      }),
      child(secret, {
        name: acl,
        body: {},
        templates: { acl: template`user ${user} on >${secretValue(passwords, 'password')}` },
      }),
      child(secret, {
        name: objectName(`${name}-copy`),
        body: {},
        templates: { acl: secretValue({ name: acl }, 'acl') },
      }),
    ];
  },
});

const [app, root, probe] = [{ user: 'app' }, { user: 'root' }, { user: 'probe' }];

test('a refused spec changes no Secret that is made of generated values', async () => {
  await expect(expectReliable(kind, { specs: [app, root, root, probe] })).resolves.toBeDefined();
});

test('expectReliable does not compare Secrets that are made of generated values', async () => {
  await expect(expectReliable(kind, { seconds: 1, seed: 1 })).resolves.toBeDefined();
});

test('expectConverged accepts a Secret that is made of its own generated values', async () => {
  const login = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Login',
    plural: 'logins',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [secret],
    reads: { own: { type: secret, name: ({ name }) => name } },
    children: ({ name, reads: { own = { name } } }) => [
      child(secret, {
        name,
        body: {},
        generated: { keys: ['password'], usedBy: [] },
        templates: { uri: template`redis://${secretValue(own, 'password', 'uri')}@cache` },
      }),
    ],
  });
  const { skipped } = await expectConverged(login);
  expect(skipped).toContainEqual({
    child: 'Secret one',
    how: 'deleted',
    why: 'values built from its new generated data follow only in a later run',
  });
});

test('the error for a broken law shows no value of a Secret', async () => {
  const tagged = defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Tagged',
    plural: 'taggeds',
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [secret],
    // Kinds that read nothing must not depend on the uid.
    reads: { other: { type: secret, name: () => 'other' } },
    children: ({ name, uid }) => [
      child(secret, { name, body: { data: { token: Buffer.from(uid).toString('base64') } } }),
    ],
  });
  await expect(expectReliable(tagged, { specs: [{}] })).rejects.toThrow(
    'Secret one: data.token: "(secret)" → "(secret changed)"',
  );
});
