import { createHash } from 'node:crypto';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { horizontalPodAutoscaler } from '../../shared/kinds/child-types/small-groups.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import type { Endpoints } from '../support/router.ts';
import { type DesiredChild, ownLabels } from './desired-child.ts';

/** Returns the endpoints of a spec by path. */
export const endpointsOf = ({ endpoints = [] }: JsonObject): Endpoints =>
  Object.fromEntries(
    (endpoints as readonly { readonly path: string; readonly scopes?: readonly string[] }[]).map(
      ({ path, scopes = [] }) => [path, scopes],
    ),
  );

/** Lists the children of a ContainerApp with a short name; paths are judged by the requests they admit. */
export function containerAppChildren(name: string, spec: JsonObject): readonly DesiredChild[] {
  const { image, port = 80, minReplicas = 1, maxReplicas = minReplicas } = spec;
  const app = `${name}-containerapp`;
  const metadata = { labels: ownLabels('containerapp', name) };
  const container = {
    name: 'app',
    image: image ?? '',
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }],
    resources: { requests: { cpu: '100m' } },
    lifecycle: { preStop: { sleep: { seconds: 15 } } },
  };
  const template = { metadata: { labels: { app } }, spec: { containers: [container] } };
  return [
    {
      type: service,
      name,
      fields: {
        metadata,
        spec: {
          type: 'ClusterIP',
          selector: { app },
          ports: [{ name: 'http', port, protocol: 'TCP', targetPort: 'http' }],
        },
      },
    },
    {
      type: deployment,
      name,
      fields: { metadata, spec: { selector: { matchLabels: { app } }, template } },
    },
    {
      type: horizontalPodAutoscaler,
      name,
      actsOn: `Deployment ${name}`,
      fields: { metadata, spec: scaling(name, minReplicas, maxReplicas) },
    },
    ...groupsOf(endpointsOf(spec)).map((scopes) => gate(name, scopes)),
  ];
}

const scaling = (name: string, minReplicas: Json, maxReplicas: Json): JsonObject => ({
  minReplicas,
  maxReplicas,
  scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
  metrics: [
    {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
    },
  ],
});

/** Lists the distinct sets of scopes. */
function groupsOf(endpoints: Endpoints): readonly (readonly string[])[] {
  const sets = Object.values(endpoints).map((scopes) => [...new Set(scopes)].toSorted());
  return sets.filter((set, at) => sets.findIndex((one) => one.join() === set.join()) === at);
}

const nginx = 'nginx.ingress.kubernetes.io';

function gate(name: string, scopes: readonly string[]): DesiredChild {
  const digest = createHash('sha256').update(JSON.stringify(scopes)).digest('hex').slice(0, 16);
  const address = `https://auth.example.com/check?scopes=${scopes.join('%20')}`;
  return {
    type: ingress,
    name: `${name}-${scopes.length === 0 ? 'public' : digest}`,
    actsOn: `Service ${name}`,
    fields: {
      metadata: {
        labels: ownLabels('containerapp', name),
        annotations: {
          [`${nginx}/use-regex`]: 'true',
          ...(scopes.length === 0 ? {} : { [`${nginx}/auth-url`]: address }),
        },
      },
      spec: { ingressClassName: 'nginx' },
    },
  };
}
