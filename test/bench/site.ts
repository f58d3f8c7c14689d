import { child, defineKind, deployment, service, Type } from '../../index.ts';

/**
 * Like Website, but without pods and without a node port, of which there are only 2,768. More than 65,000
 * Services have to be headless, because a /16 range has no more cluster IPs.
 */
export const site = defineKind({
  group: 'bench.example.com',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  spec: Type.Object({ imageTag: Type.String(), headless: Type.Optional(Type.Boolean()) }),
  samples: [],
  owns: [deployment, service],
  children({ name, spec }) {
    const labels = { site: name };
    const ports = [{ containerPort: 80, protocol: 'TCP' as const }];
    const containers = [{ name: 'nginx', image: `nginx:${spec.imageTag}`, ports }];
    const template = { metadata: { labels }, spec: { containers } };
    return [
      child(deployment, {
        name,
        body: { spec: { replicas: 0, selector: { matchLabels: labels }, template } },
      }),
      child(service, {
        name,
        body: {
          spec: {
            ...(spec.headless ? { clusterIP: 'None' } : {}),
            selector: labels,
            ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
          },
        },
      }),
    ];
  },
});
