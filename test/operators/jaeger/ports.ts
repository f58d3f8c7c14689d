import { type Options, textsOf } from './options.ts';
import { type Part, partsOf, processOf, type Spec } from './spec.ts';

export interface Port {
  readonly name: string;
  readonly containerPort: number;
  readonly protocol: 'TCP' | 'UDP';
}

const port = (name: string, containerPort: number, protocol: Port['protocol'] = 'TCP'): Port => ({
  name,
  containerPort,
  protocol,
});

export const receivers = [
  port('otlp-grpc', 4317),
  port('otlp-http', 4318),
  port('jaeger-grpc', 14250),
  port('jaeger-tchannel', 14267),
  port('jaeger-thrift', 14268),
  port('zipkin', 9411),
];
export const pages = [port('ui', 16686), port('query-grpc', 16685)];
export const proxiedPages = [{ ...port('https', 8443), at: 443 }, port('query-grpc', 16685)];

/** The port of an address such as `:14269` in the first of these options that is given. */
function portIn(options: Options, names: readonly string[], otherwise: number): number {
  const address = names.map((name) => textsOf(options)[name]).find((one) => one !== undefined);
  const given = Number(/:(\d{1,5})$/.exec(address ?? '')?.[1]);
  return given >= 1 && given <= 65_535 ? given : otherwise;
}

const admin: Readonly<Record<Part, number>> = {
  'all-in-one': 14269,
  collector: 14269,
  query: 16687,
  ingester: 14270,
  agent: 14271,
};

/** The port for probes and metrics: the one of the options, or else that of the process. */
export const adminPort = (part: Part, options: Options): Port =>
  port('admin', portIn(options, ['admin.http.host-port', 'admin-http-port'], admin[part]));

/** The ports on which an agent receives spans and gives configuration. */
export const agentPorts = (options: Options): readonly Port[] => {
  const processor = (name: string, otherwise: number): Port =>
    port(name, portIn(options, [`processor.${name}.server-host-port`], otherwise), 'UDP');
  return [
    processor('zipkin-compact', 5775),
    port('config-rest', portIn(options, ['http-server.host-port'], 5778)),
    processor('jaeger-compact', 6831),
    processor('jaeger-binary', 6832),
  ];
};

export function portsOf(part: Part, options: Options): readonly Port[] {
  const others: Readonly<Record<Part, readonly Port[]>> = {
    'all-in-one': [...receivers, ...pages, ...agentPorts({})],
    collector: receivers,
    query: pages,
    ingester: [],
    agent: agentPorts(options),
  };
  return [adminPort(part, options), ...others[part]];
}

/** Explains which process has the same port twice. */
export function clashOf(spec: Spec): string | undefined {
  for (const part of partsOf(spec)) {
    const ports = portsOf(part, processOf(spec, part).options);
    const key = ({ containerPort, protocol }: Port): string => `${containerPort}/${protocol}`;
    const twice = ports.find((one, at) =>
      ports.slice(0, at).some((other) => key(other) === key(one)),
    );
    if (twice !== undefined) return `two ports of the ${part} are ${twice.containerPort}`;
  }
  return undefined;
}
