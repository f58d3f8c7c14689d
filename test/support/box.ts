import {
  child,
  configMap,
  defineKind,
  deployment,
  labelValue,
  service,
  Type,
} from '../../index.ts';

const labels = (name: string) => ({ box: labelValue(name) });

/** Has a ConfigMap first, so that one that hangs could delay all others. */
export const box = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  spec: Type.Object({ maps: Type.Array(Type.String({ maxLength: 63 }), { maxItems: 16 }) }),
  samples: [{ name: 'box', spec: { maps: ['box'] } }],
  owns: [configMap, deployment, service],
  children: ({ name, spec: { maps } }) => [
    ...maps.map((map) => child(configMap, { name: map, body: { data: { of: name } } })),
    child(deployment, {
      name,
      body: {
        spec: {
          replicas: 1,
          selector: { matchLabels: labels(name) },
          template: {
            metadata: { labels: labels(name) },
            spec: { containers: [{ name: 'box', image: 'box:1' }] },
          },
        },
      },
    }),
    child(service, {
      name,
      body: {
        spec: { selector: labels(name), ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }] },
      },
    }),
  ],
});
