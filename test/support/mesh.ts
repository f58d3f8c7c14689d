import { child, defineKind, objectName, secret, Type } from '../../index.ts';

/** Makes an authority, a certificate that it signs and a key pair. */
export const mesh = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Mesh',
  plural: 'meshes',
  spec: Type.Object({
    dnsNames: Type.Array(Type.String({ pattern: '^[a-z0-9.-]{1,60}$' }), {
      minItems: 1,
      maxItems: 8,
    }),
    authority: Type.Optional(Type.String({ maxLength: 16 })),
  }),
  samples: [{ name: 'mesh', spec: { dnsNames: ['mesh.team-a.svc'] } }],
  owns: [secret],
  children: ({ name, spec }) => [
    child(secret, {
      name: objectName(`${name}-ca`),
      body: { type: 'kubernetes.io/tls' },
      generated: { certificate: { commonName: 'mesh' }, usedBy: [], rotation: spec.authority },
    }),
    child(secret, {
      name: objectName(`${name}-tls`),
      body: { type: 'kubernetes.io/tls' },
      generated: {
        certificate: { issuer: objectName(`${name}-ca`), dnsNames: spec.dnsNames },
        usedBy: [],
      },
    }),
    child(secret, {
      name: objectName(`${name}-key`),
      body: {},
      generated: { keyPair: { privateKey: 'id', publicKey: 'id.pub' }, usedBy: [] },
    }),
  ],
});
