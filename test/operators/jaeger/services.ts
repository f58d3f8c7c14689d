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
import { collectorCertificate, isCertified } from './ca.ts';
import { isProxied, servingCertificate } from './proxy.ts';
import type { Part, Spec } from './spec.ts';

export interface Given {
  readonly name: string;
  readonly namespace: string;
  readonly spec: Spec;
  readonly files: Child;
  readonly account: Child;
  /** What has to be in place before any process of a version rolls. */
  readonly needs: readonly Need[];
  readonly annotations: Readonly<Record<string, string>>;
}

const port = (name: string, containerPort: number) => ({
  name,
  containerPort,
  protocol: 'TCP' as const,
});
const receivers = [
  port('otlp-grpc', 4317),
  port('otlp-http', 4318),
  port('jaeger-grpc', 14250),
  port('jaeger-thrift', 14268),
  port('zipkin', 9411),
];
const pages = [port('ui', 16686), port('query-grpc', 16685)];
const proxiedPages = [{ ...port('https', 8443), at: 443 }, port('query-grpc', 16685)];

const others: Readonly<Record<Part, readonly ReturnType<typeof port>[]>> = {
  'all-in-one': [...receivers, ...pages],
  collector: receivers,
  query: pages,
  ingester: [],
};
const admin: Readonly<Record<Part, number>> = {
  'all-in-one': 14269,
  collector: 14269,
  query: 16687,
  ingester: 14270,
};

/** The port for probes and metrics: the one of the options, or else that of the process. */
export const adminPort = (part: Part, options: Readonly<Record<string, string>>) =>
  port(
    'admin',
    Number(/:(\d{1,5})$/.exec(options['admin.http.host-port'] ?? '')?.[1] ?? admin[part]),
  );

export const portsOf = (part: Part, options: Readonly<Record<string, string>>) => [
  adminPort(part, options),
  ...others[part],
];

const optionsOf = ({ spec }: Given, part: Part) =>
  part === 'all-in-one' ? spec.allInOne.options : spec[part].options;

export const labelsOf = (name: string, part: string) => ({
  app: 'jaeger',
  'app.kubernetes.io/instance': labelValue(name),
  'app.kubernetes.io/component': part,
});

interface Served {
  readonly suffix: string;
  readonly part: Part;
  readonly ports: readonly (ReturnType<typeof port> & { readonly at?: number })[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: api.ServiceSpec;
  readonly nodePorts?: readonly (number | undefined)[];
}

const serviceOf = (
  { name }: Given,
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
          name,
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
  const { serviceType: type } = given.spec.collector;
  const ports = [...receivers, adminPort(part, optionsOf(given, part))];
  return [
    serviceOf(given, { suffix: 'collector', part, ports, spec: { type } }),
    serviceOf(given, {
      suffix: 'collector-headless',
      part,
      ports,
      spec: { clusterIP: 'None' },
      ...(isCertified(given.spec, part) && { annotations: collectorCertificate(given.name) }),
    }),
  ];
}

export function pagesOf(given: Given, part: Part): readonly Child[] {
  const { serviceType: type, nodePort, grpcNodePort } = given.spec.query;
  const nodePorts = type === 'NodePort' ? [nodePort, grpcNodePort] : [];
  const served = isProxied(given.spec)
    ? { ports: proxiedPages, annotations: servingCertificate(given.name) }
    : { ports: pages };
  const ports = [...served.ports, adminPort(part, optionsOf(given, part))];
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
        port: { targetPort: isProxied(spec) ? 'https' : 'ui' },
        tls: { termination: isProxied(spec) ? 'reencrypt' : 'edge' },
      },
    },
  });
}

function ingressOf({ spec }: Given, to: Child, part: Part): Child {
  const { hosts, pathType, tls, ingressClassName, labels, annotations } = spec.ingress;
  const { options } = part === 'query' ? spec.query : spec.allInOne;
  const backend = { service: { name: to.name, port: { name: 'ui' } } };
  const path = options['query.base-path'] ?? '/';
  const http = { paths: [{ path, pathType, backend }] };
  return child(ingress, {
    name: to.name,
    actsOn: to,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    body: {
      spec: {
        ingressClassName,
        tls,
        rules: hosts.length === 0 ? [{ http }] : hosts.map((host) => ({ host, http })),
      },
    },
  });
}
