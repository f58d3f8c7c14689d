import {
  type api,
  type Child,
  child,
  dnsLabel,
  ingress,
  labelValue,
  service,
} from 'serverless-reconciler';
import type { Spec } from './spec.ts';

export interface Given {
  readonly name: string;
  readonly namespace: string;
  readonly spec: Spec;
  readonly files: Child;
  readonly account: Child;
  /** What has to be in place before any process of a version rolls. */
  readonly needs: readonly Child[];
  readonly annotations: Readonly<Record<string, string>>;
}

export type Part = 'all-in-one' | 'collector' | 'query' | 'ingester';

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

/** The ports of each process, the one for probes first. */
export const ports: Readonly<Record<Part, readonly ReturnType<typeof port>[]>> = {
  'all-in-one': [port('admin', 14269), ...receivers, ...pages],
  collector: [port('admin', 14269), ...receivers],
  query: [port('admin', 16687), ...pages],
  ingester: [port('admin', 14270)],
};

export const labelsOf = (name: string, part: string) => ({
  app: 'jaeger',
  'app.kubernetes.io/instance': labelValue(name),
  'app.kubernetes.io/component': part,
});

interface Served {
  readonly suffix: string;
  readonly part: Part;
  readonly ports: readonly ReturnType<typeof port>[];
  readonly spec?: api.ServiceSpec;
  readonly nodePorts?: readonly (number | undefined)[];
}

const serviceOf = ({ name }: Given, { suffix, part, ports, spec, nodePorts = [] }: Served): Child =>
  child(service, {
    name: dnsLabel(`${name}-${suffix}`),
    body: {
      spec: {
        ...spec,
        selector: labelsOf(name, part),
        ports: ports.map(({ name, containerPort, protocol }, at) => ({
          name,
          port: containerPort,
          protocol,
          targetPort: containerPort,
          nodePort: nodePorts[at],
        })),
      },
    },
  });

/** For clients, and for clients that balance the load over the pods themselves. */
export function collectors(given: Given, part: Part): readonly Child[] {
  const { serviceType: type } = given.spec.collector;
  const ports = receivers;
  return [
    serviceOf(given, { suffix: 'collector', part, ports, spec: { type } }),
    serviceOf(given, {
      suffix: 'collector-headless',
      part,
      ports,
      spec: { clusterIP: 'None' },
    }),
  ];
}

export function pagesOf(given: Given, part: Part): readonly Child[] {
  const { serviceType: type, nodePort, grpcNodePort } = given.spec.query;
  const nodePorts = type === 'NodePort' ? [nodePort, grpcNodePort] : [];
  const to = serviceOf(given, { suffix: 'query', part, ports: pages, spec: { type }, nodePorts });
  return given.spec.ingress.enabled ? [to, ingressOf(given, to, part)] : [to];
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
