import { child, defineConfig, defineKind, secret, Type } from '../../index.ts';

/** Wants `count` Secrets of a megabyte each, from a resource of a hundred bytes. */
export const vault = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Vault',
  plural: 'vaults',
  owns: [secret],
  spec: Type.Object({ count: Type.Integer() }),
  samples: [{ name: 'vault', spec: { count: 1 } }],
  children: ({ name, spec: { count } }) =>
    Array.from({ length: count }, (_, at) =>
      child(secret, {
        name: `${name}-${at}`,
        body: { data: { key: Buffer.alloc(786_432, at + 1).toString('base64') } },
      }),
    ),
});

export default defineConfig({ kinds: [vault] });
