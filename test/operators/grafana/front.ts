import {
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
import { labelsOf } from './names.ts';
import type { Spec } from './spec.ts';

/** A route of the Gateway API. */
export const httpRoute = defineChildType<{ spec: object }>({
  group: 'gateway.networking.k8s.io',
  version: 'v1',
  kind: 'HTTPRoute',
  plural: 'httproutes',
});

/** How Grafana is reached. */
export function front(name: string, spec: Spec): readonly Child[] {
  const to = child(service, {
    name: dnsLabel(`${name}-service`),
    ...spec.service?.metadata,
    body: {
      spec: {
        ...spec.service?.spec,
        selector: labelsOf(name),
        ports: [{ name: 'http', port: 3000, protocol: 'TCP', targetPort: 'grafana-http' }],
      },
    },
  });
  return [
    to,
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
                { rules: [{ backendRefs: [{ name: to.name, port: 3000 }] }] },
                spec.httpRoute.spec,
              ),
            },
          }),
        ]
      : []),
  ];
}

function ingresses(name: string, { ingress: template }: Spec, to: Child): readonly Child[] {
  if (template === undefined) return [];
  const { hosts, path, ingressClassName, tls } = template.spec;
  const backend = { service: { name: to.name, port: { number: 3000 } } };
  const http = { paths: [{ path, pathType: 'Prefix' as const, backend }] };
  return [
    child(ingress, {
      name: objectName(`${name}-ingress`),
      ...template.metadata,
      actsOn: to,
      body: { spec: { ingressClassName, tls, rules: hosts.map((host) => ({ host, http })) } },
    }),
  ];
}
