import { child, defineKind, deployment, service, Type } from '../../index.ts';

/** A shop whose selector, which is immutable, follows its spec. */
export const recreatedShop = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Shop',
  plural: 'shops',
  spec: Type.Object({
    tier: Type.String(),
    labelled: Type.Optional(Type.String()),
    image: Type.String({ default: 'a:1' }),
  }),
  samples: [{ name: 'one', spec: { tier: 'front' } }],
  owns: [deployment, service],
  children: ({ name, spec: { tier, labelled = tier, image } }) => [
    child(deployment, {
      name,
      recreate: true,
      body: {
        spec: {
          selector: { matchLabels: { tier } },
          template: {
            metadata: { labels: { tier: labelled } },
            spec: { containers: [{ name: 'a', image }] },
          },
        },
      },
    }),
    child(service, {
      name,
      needs: [{ type: deployment, name }],
      body: { spec: { selector: { tier }, ports: [{ port: 80, protocol: 'TCP' }] } },
    }),
  ],
});
