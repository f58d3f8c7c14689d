import {
  type api,
  type Child,
  child,
  defineChildType,
  dnsLabel,
  ingress,
  objectName,
  service,
} from 'serverless-reconciler';
import { route } from '../openshift.ts';
import { overlaid } from '../overlay.ts';
import { alertPort, labelsOf } from './names.ts';
import { portOf, type Spec } from './spec.ts';

/** A route of the Gateway API. */
export const httpRoute = defineChildType<{ spec: object }>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  kind: 'HTTPRoute',
  plural: 'httproutes',
});

/** How Grafana is reached, and how its replicas reach each other. */
export function front(name: string, spec: Spec): readonly Child[] {
  const port = portOf(spec);
  const to = child(service, {
    name: dnsLabel(`${name}-service`),
    ...spec.service?.metadata,
    body: {
      spec: overlaid<api.ServiceSpec>(
        {
          type: 'ClusterIP',
          selector: labelsOf(name),
          ports: [{ name: 'http', port, protocol: 'TCP', targetPort: 'grafana-http' }],
        },
        spec.service?.spec,
      ),
    },
  });
  const alerting = child(service, {
    name: dnsLabel(`${name}-alerting`),
    body: {
      spec: {
        clusterIP: 'None',
        selector: labelsOf(name),
        ports: [{ name: 'grafana-alert', port: alertPort, protocol: 'TCP', targetPort: alertPort }],
      },
    },
  });
  return [
    to,
    alerting,
    ...ingresses(name, spec, to),
    ...(spec.route
      ? [
          child(route, {
            name: objectName(`${name}-route`),
            ...spec.route.metadata,
            needs: [to],
            body: {
              spec: overlaid(
                { to: { kind: 'Service', name: to.name }, port: { targetPort: 'http' } },
                spec.route.spec,
              ),
            },
          }),
        ]
      : []),
    ...(spec.httpRoute
      ? [
          child(httpRoute, {
            name: objectName(`${name}-httproute`),
            ...spec.httpRoute.metadata,
            needs: [to],
            body: {
              spec: overlaid(
                { rules: [{ backendRefs: [{ name: to.name, port }] }] },
                spec.httpRoute.spec,
              ),
            },
          }),
        ]
      : []),
  ];
}

function ingresses(name: string, spec: Spec, to: Child): readonly Child[] {
  if (spec.ingress === undefined) return [];
  const backend = { service: { name: to.name, port: { number: portOf(spec) } } };
  const paths = [{ path: '/', pathType: 'Prefix' as const, backend }];
  return [
    child(ingress, {
      name: objectName(`${name}-ingress`),
      ...spec.ingress.metadata,
      actsOn: to,
      body: {
        spec: overlaid<api.IngressSpec>({ rules: [{ http: { paths } }] }, spec.ingress.spec),
      },
    }),
  ];
}
