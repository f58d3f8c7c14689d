import {
  type api,
  type Child,
  child,
  dnsLabel,
  ingress,
  labelValue,
  type Need,
  objectName,
  service,
} from 'serverless-reconciler';
import { route } from '../openshift.ts';
import { collectorCertificate, isCertified, isSecured } from './ca.ts';
import { textsOf } from './options.ts';
import {
  adminPort,
  agentPorts,
  type Port,
  pages,
  proxiedPages,
  receivers,
  servedAs,
} from './ports.ts';
import { isProxied, servingCertificate } from './proxy.ts';
import { hasAgents, type Part, processOf, type Spec } from './spec.ts';

export interface Given {
  readonly name: string;
  readonly namespace: string;
  readonly spec: Spec;
  readonly files: Child;
  readonly account: Child;
  /** What has to be in place before any process of a version rolls. */
  readonly needs: readonly Need[];
  readonly annotations: Readonly<Record<string, string>>;
  /** Rolls pods when the authorities change that they trust. */
  readonly trust: Readonly<Record<string, string>>;
}

export const labelsOf = (name: string, part: string) => ({
  app: 'jaeger',
  'app.kubernetes.io/instance': labelValue(name),
  'app.kubernetes.io/component': part,
});

interface Served {
  readonly suffix: string;
  readonly part: Part;
  readonly ports: readonly (Port & { readonly at?: number })[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: api.ServiceSpec;
  readonly nodePorts?: readonly (number | undefined)[];
}

const serviceOf = (
  { name, spec: given }: Given,
  { suffix, part, ports, annotations = {}, spec, nodePorts = [] }: Served,
): Child =>
  child(service, {
    name: dnsLabel(`${name}-${suffix}`),
    annotations,
    body: {
      spec: {
        ...spec,
        selector: labelsOf(name, part),
        ports: ports.map(({ name, containerPort, protocol, at }, index) => ({
          name: servedAs(name, isSecured(given, part)),
          port: at ?? containerPort,
          protocol,
          targetPort: containerPort,
          nodePort: nodePorts[index],
        })),
      },
    },
  });

/** For clients, and for clients that balance the load over the pods themselves. */
export function collectors(given: Given, part: Part): readonly Child[] {
  const { serviceType: type, annotations } = given.spec.collector;
  const { options } = processOf(given.spec, part);
  const ports = [...receivers(options), adminPort(part, options)];
  return [
    serviceOf(given, {
      suffix: 'collector',
      part,
      ports,
      annotations: { ...annotations },
      spec: { type },
    }),
    serviceOf(given, {
      suffix: 'collector-headless',
      part,
      ports,
      spec: { clusterIP: 'None' },
      annotations: {
        ...annotations,
        ...(isCertified(given.spec, part) && collectorCertificate(given.name)),
      },
    }),
  ];
}

/** For clients of agents, and of the agent in the all-in-one process of older versions. */
export function agentServices(given: Given): readonly Child[] {
  const { spec } = given;
  if (spec.strategy !== 'allinone' && !hasAgents(spec)) return [];
  const part = hasAgents(spec) ? 'agent' : 'all-in-one';
  const options = hasAgents(spec) ? spec.agent.options : {};
  const ports = [...agentPorts(options), adminPort(part, processOf(spec, part).options)];
  return [serviceOf(given, { suffix: 'agent', part, ports, spec: { clusterIP: 'None' } })];
}

export function pagesOf(given: Given, part: Part): readonly Child[] {
  const { serviceType: type, nodePort, grpcNodePort, annotations } = given.spec.query;
  const nodePorts = type === 'NodePort' ? [nodePort, grpcNodePort] : [];
  const served = isProxied(given.spec)
    ? {
        ports: proxiedPages,
        annotations: { ...annotations, ...servingCertificate(given.name) },
      }
    : { ports: pages, annotations: { ...annotations } };
  const ports = [...served.ports, adminPort(part, processOf(given.spec, part).options)];
  const to = serviceOf(given, {
    suffix: 'query',
    part,
    ...served,
    ports,
    spec: { type },
    nodePorts,
  });
  if (!given.spec.ingress.enabled) return [to];
  return [
    to,
    given.spec.platform === 'openshift' ? routeOf(given, to) : ingressOf(given, to, part),
  ];
}

function routeOf({ name, spec }: Given, to: Child): Child {
  const { hosts, labels, annotations } = spec.ingress;
  return child(route, {
    name: objectName(name),
    needs: [to],
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    body: {
      spec: {
        host: hosts[0],
        to: { kind: 'Service', name: to.name },
        port: { targetPort: isProxied(spec) ? 'https-query' : 'http-query' },
        tls: { termination: isProxied(spec) ? 'reencrypt' : 'edge' },
      },
    },
  });
}

function ingressOf({ spec }: Given, to: Child, part: Part): Child {
  const { hosts, pathType, tls, secretName, ingressClassName, labels, annotations } = spec.ingress;
  const backend = { service: { name: to.name, port: { name: 'http-query' } } };
  const base = textsOf(processOf(spec, part).options)['query.base-path'];
  // The other types need a path.
  const path = base || (pathType === 'ImplementationSpecific' ? undefined : '/');
  const http = { paths: [{ path, pathType, backend }] };
  const rules = hosts.length > 0 ? hosts.map((host) => ({ host, http })) : [{ http }];
  return child(ingress, {
    name: to.name,
    actsOn: to,
    labels: { ...spec.labels, ...labels },
    annotations: { ...spec.annotations, ...annotations },
    body: {
      spec: {
        ingressClassName,
        tls: tls ?? (secretName === undefined ? undefined : [{ secretName }]),
        ...(hosts.length > 0 || base ? { rules } : { defaultBackend: backend }),
      },
    },
  });
}
