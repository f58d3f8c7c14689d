import type { Api, Live } from '../scenarios/api.ts';
import { apply, common, type Disturbance, patch, permitted } from './disturb.ts';
import { deployments } from './disturb-workloads.ts';

const services: Readonly<Record<string, Disturbance>> = {
  ...common,
  'port changed': patch([{ op: 'replace', path: '/spec/ports/0/port', value: 81 }], { as: 'json' }),
  'target port changed': patch([{ op: 'replace', path: '/spec/ports/0/targetPort', value: 8080 }], {
    as: 'json',
  }),
  'node port removed': patch([{ op: 'remove', path: '/spec/ports/0/nodePort' }], { as: 'json' }),
  'node port moved to another port': (api, live) =>
    patch({
      spec: {
        ports: [{ name: 'x', port: 8080, protocol: 'TCP', nodePort: nodePortOf(live) }],
      },
    })(api, live),
  'port named and one added': (api, live) =>
    patch({
      spec: {
        ports: [
          { name: 'http', port: 80, protocol: 'TCP', nodePort: nodePortOf(live) },
          { name: 'metrics', port: 9090, protocol: 'TCP' },
        ],
      },
    })(api, live),
  'udp added to tcp': (api, live) =>
    patch({
      spec: {
        ports: [
          { name: 'tcp', port: 80, protocol: 'TCP', nodePort: nodePortOf(live) },
          { name: 'udp', port: 80, protocol: 'UDP', nodePort: nodePortOf(live) },
        ],
      },
    })(api, live),
  'made internal': patch({ spec: { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP' }] } }),
  'made a load balancer': patch({ spec: { type: 'LoadBalancer' } }),
  'selector widened': patch({ spec: { selector: { other: 'x' } } }),
  'selector taken over': apply({ spec: { selector: { app: 'theirs' } } }),
  'session affinity': patch({ spec: { sessionAffinity: 'ClientIP' } }),
  'affinity for a minute': patch({
    spec: {
      sessionAffinity: 'ClientIP',
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
    },
  }),
  'made an external name': patch({
    spec: {
      type: 'ExternalName',
      externalName: 'other.example.com',
      clusterIP: '',
      clusterIPs: null,
    },
  }),
  'sources restricted': patch({
    spec: { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'] },
  }),
  'balancer class set': patch({ spec: { type: 'LoadBalancer', loadBalancerClass: 'other/class' } }),
  'traffic kept local': patch({ spec: { externalTrafficPolicy: 'Local' } }),
  'internal traffic kept local': patch({ spec: { internalTrafficPolicy: 'Local' } }),
  'external address added': patch({ spec: { externalIPs: ['192.0.2.1'] } }),
  'unready addresses published': patch({ spec: { publishNotReadyAddresses: true } }),
  'protocol changed': patch([{ op: 'replace', path: '/spec/ports/0/protocol', value: 'UDP' }], {
    as: 'json',
  }),
  'port named': patch([{ op: 'add', path: '/spec/ports/0/name', value: 'web' }], { as: 'json' }),
  'application protocol set': patch(
    [{ op: 'add', path: '/spec/ports/0/appProtocol', value: 'https' }],
    { as: 'json' },
  ),
  'selector removed': patch({ spec: { selector: null } }),
  'port added': patch(
    { spec: { ports: [{ name: 'metrics', port: 9090, protocol: 'TCP' }] } },
    { as: 'strategic' },
  ),
};

const nodePortOf = ({ spec }: Live): number =>
  (spec as { readonly ports: readonly { readonly nodePort: number }[] }).ports[0]?.nodePort ?? 0;

/** Changes of a child of a Website or Foo, by its kind. */
export const disturbances: Readonly<Record<string, Readonly<Record<string, Disturbance>>>> = {
  Deployment: deployments,
  Service: services,
};

/** Makes the change, if the server accepts it. */
export async function disturb(api: Api, live: Live, name: string): Promise<void> {
  const act = disturbances[live.kind]?.[name];
  if (act !== undefined) await permitted(act(api, live));
}
