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

const otlp = [port('grpc-otlp', 4317), port('http-otlp', 4318)];
const others = [
  port('grpc-jaeger', 14250),
  port('c-tchan-trft', 14267),
  port('c-binary-trft', 14268),
  port('http-zipkin', 9411),
];

/** The ports on which a process receives traces. */
export const receivers = (options: Options): readonly Port[] => [
  ...((textsOf(options)['collector.otlp.enabled'] ?? 'true') === 'true' ? otlp : []),
  ...others,
];
export const pages = [port('http-query', 16686), port('grpc-query', 16685)];
export const proxiedPages = [{ ...port('https-query', 8443), at: 443 }, port('grpc-query', 16685)];

/** Names with the protocol, for a service mesh, that are too long for a container. */
const inServices: Readonly<Record<string, string>> = {
  'c-tchan-trft': 'http-c-tchan-trft',
  'c-binary-trft': 'http-c-binary-trft',
  'config-rest': 'http-config-rest',
};

/** The name of a container's port in a Service. */
export const servedAs = (name: string, isSecured: boolean): string =>
  name === 'grpc-jaeger' && isSecured ? 'tls-grpc-jaeger' : (inServices[name] ?? name);

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
  port('admin-http', portIn(options, ['admin.http.host-port', 'admin-http-port'], admin[part]));

/** The ports on which an agent receives spans and gives configuration. */
export const agentPorts = (options: Options): readonly Port[] => {
  const processor = (name: string, of: string, otherwise: number): Port =>
    port(name, portIn(options, [`processor.${of}.server-host-port`], otherwise), 'UDP');
  return [
    processor('zk-compact-trft', 'zipkin-compact', 5775),
    port('config-rest', portIn(options, ['http-server.host-port'], 5778)),
    processor('jg-compact-trft', 'jaeger-compact', 6831),
    processor('jg-binary-trft', 'jaeger-binary', 6832),
  ];
};

export function portsOf(part: Part, options: Options): readonly Port[] {
  const own: Readonly<Record<Part, readonly Port[]>> = {
    'all-in-one': [...receivers(options), ...pages, ...agentPorts({})],
    collector: receivers(options),
    query: pages,
    ingester: [],
    agent: agentPorts(options),
  };
  return [adminPort(part, options), ...own[part]];
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
