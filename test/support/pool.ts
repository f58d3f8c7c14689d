import { child, defineKind, deployment, Type } from '../../index.ts';

/** A pool that begins with two replicas, which others change afterwards. */
export const pool = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Pool',
  plural: 'pools',
  spec: Type.Object({ image: Type.String(), tier: Type.String({ default: 'front' }) }),
  samples: [{ name: 'one', spec: { image: 'a:1' } }],
  owns: [deployment],
  children: ({ name, spec: { image, tier } }) => [
    child(deployment, {
      name,
      initial: ['spec.replicas', 'metadata.annotations.note'],
      annotations: { note: 'new' },
      recreate: true,
      body: {
        spec: {
          replicas: 2,
          selector: { matchLabels: { tier } },
          template: {
            metadata: { labels: { tier } },
            spec: { containers: [{ name: 'a', image }] },
          },
        },
      },
    }),
  ],
});
