import {
  child,
  defineKind,
  deployment,
  labelValue,
  objectName,
  rollOnChange,
  secret,
  secretValue,
  Type,
  template,
  workloadName,
} from '../../index.ts';

/** Makes a connection string of a password that it generates and of a user in another Secret. */
export const vault = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Vault',
  plural: 'vaults',
  spec: Type.Object({
    user: Type.String({ minLength: 1 }),
    rotation: Type.Optional(Type.String()),
  }),
  samples: [{ name: 'vault', spec: { user: 'user' } }],
  owns: [secret, deployment],
  reads: {
    password: { type: secret, name: ({ name }) => objectName(`${name}-password`) },
    user: { type: secret, name: ({ spec }) => spec.user },
  },
  children({ name, spec, reads }) {
    const labels = { vault: labelValue(name) };
    const password = {
      ...reads.password,
      name: objectName(`${name}-password`),
    };
    const user = reads.user ?? { name: spec.user };
    const generated = child(secret, {
      name: password.name,
      body: {},
      generated: {
        keys: ['password'],
        usedBy: [{ type: deployment, name: workloadName(name) }],
        rotation: spec.rotation,
      },
    });
    const copy = child(secret, {
      name: objectName(`${name}-url`),
      body: { data: { host: Buffer.from('db').toString('base64') } },
      templates: {
        url: template`db://${secretValue(user, 'name', 'uri')}:${secretValue(password, 'password')}@db`,
        name: secretValue(user, 'name'),
      },
    });
    const containers = [{ name: 'web', image: 'web:1' }];
    return [
      generated,
      copy,
      child(deployment, {
        name: workloadName(name),
        needs: [copy],
        body: {
          spec: {
            selector: { matchLabels: labels },
            template: {
              metadata: { labels, annotations: rollOnChange(copy) },
              spec: { containers },
            },
          },
        },
      }),
    ];
  },
});

export const userSecret = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: { name: Buffer.from(value).toString('base64') },
});
