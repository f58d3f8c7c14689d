import {
  child,
  configMap,
  defineChildType,
  defineKind,
  deployment,
  horizontalPodAutoscaler,
  secret,
  service,
  Type,
} from '../../index.ts';
import { certificate } from '../child-types/custom-resources.ts';

/** Was owned by an earlier version, and is never served here. */
const monitor = defineChildType({ ...certificate, kind: 'Monitor', plural: 'monitors' });

/**
 * A kind with a ConfigMap of a chosen name and optional children: a Certificate and a Secret that needs it, a
 * Service, a Deployment that needs the ConfigMap, and an autoscaler that acts on it.
 */
export const stack = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Stack',
  plural: 'stacks',
  spec: Type.Object({
    config: Type.String(),
    wants: Type.Array(Type.String(), { default: [] }),
  }),
  status: { live: Type.Optional(Type.Integer()) },
  samples: [],
  owns: [configMap, certificate, service, secret, deployment, horizontalPodAutoscaler],
  formerly: [monitor],
  children({ name, spec: { config, wants } }) {
    const labels = { stack: name };
    const template = { metadata: { labels }, spec: { containers: [{ name, image: 'app:1' }] } };
    const optional: Readonly<Record<string, ReturnType<typeof child>>> = {
      certificate: child(certificate, {
        name,
        body: { spec: { secretName: name, dnsNames: [name] } },
      }),
      service: child(service, {
        name,
        body: { spec: { selector: labels, ports: [{ port: 80, protocol: 'TCP' }] } },
      }),
      secret: child(secret, {
        name: `${name}-needy`,
        body: { data: { a: 'YQ==' } },
        needs: [{ type: certificate, name }],
      }),
      deployment: child(deployment, {
        name,
        needs: [{ type: configMap, name: config }],
        body: { spec: { replicas: 2, selector: { matchLabels: labels }, template } },
      }),
      scaler: child(horizontalPodAutoscaler, {
        name,
        actsOn: { type: deployment, name },
        body: {
          spec: {
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
            minReplicas: 2,
            maxReplicas: 3,
          },
        },
      }),
    };
    return [
      child(configMap, { name: config, body: { data: { of: name } } }),
      ...wants.flatMap((want) => optional[want] ?? []),
    ];
  },
  statusOf: ({ children }) => ({ live: children.length }),
});
