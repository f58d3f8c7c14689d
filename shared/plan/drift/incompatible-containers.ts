import { pointerToken } from '../../json.ts';
import type { Json, JsonObject } from '../../kubernetes.ts';
import { isLess } from './quantity.ts';

interface Pod {
  readonly hostNetwork?: boolean;
  readonly containers?: readonly Container[];
  readonly terminationGracePeriodSeconds?: number;
}

interface Container {
  readonly name?: string;
  readonly ports?: readonly ContainerPort[];
  readonly resources?: Readonly<Record<'limits' | 'requests', Readonly<Record<string, Json>>>>;
  readonly lifecycle?: {
    readonly preStop?: { readonly sleep?: { readonly seconds?: number } };
  };
}

interface ContainerPort {
  readonly name?: string;
  readonly containerPort?: number;
  readonly protocol?: string;
  readonly hostPort?: number;
  readonly hostIP?: string;
}

/**
 * The JSON patch that removes from a pod template what others added and the server refuses together
 * with our fields: a port with the name or the host port of one of ours, a limit below our request, a
 * grace period that is shorter than our containers' preStop sleep.
 */
export function incompatibleContainers(
  desired: JsonObject,
  live: Json | undefined,
): readonly JsonObject[] {
  const wanted = podOf(desired);
  const present = podOf(live);
  const grace = present.terminationGracePeriodSeconds;
  const sleeps = (wanted.containers ?? []).map(
    ({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0,
  );
  const isTooShort = grace !== undefined && sleeps.some((seconds) => seconds > grace);
  return [
    ...(isTooShort ? [{ op: 'remove', path: `${pod}/terminationGracePeriodSeconds` }] : []),
    ...(present.containers ?? []).flatMap((other, at) => {
      const own = wanted.containers?.find(({ name }) => name === other.name) ?? {};
      const path = `${pod}/containers/${at}`;
      return [...clashingPorts(own, other, { wanted, path }), ...lowLimits(own, other, path)];
    }),
  ];
}

const pod = '/spec/template/spec';

/** The pod template's spec of a Deployment or StatefulSet. */
const podOf = (object: Json | undefined): Pod =>
  (object as { readonly spec?: { readonly template?: { readonly spec?: Pod } } } | undefined)?.spec
    ?.template?.spec ?? {};

/** From the last to the first, so that indexes stay valid. */
function clashingPorts(
  { ports: own = [] }: Container,
  { ports: present = [] }: Container,
  { wanted, path }: { readonly wanted: Pod; readonly path: string },
): readonly JsonObject[] {
  const hostPorts = (wanted.containers ?? [])
    .flatMap(({ ports = [] }) => ports)
    .flatMap((port) => hostPortOf(port, wanted) ?? []);
  const clashes = (port: ContainerPort): boolean =>
    own.some(({ name }) => name !== undefined && name === port.name) ||
    hostPorts.includes(hostPortOf(port) ?? '');
  return present
    .flatMap((port, at) =>
      !own.some((one) => isSamePort(one, port)) && clashes(port)
        ? [{ op: 'remove', path: `${path}/ports/${at}` }]
        : [],
    )
    .toReversed();
}

/** What a pod has once. In the network of the node a port is a host port by default. */
function hostPortOf(
  { hostPort, hostIP = '', protocol = 'TCP', containerPort }: ContainerPort,
  { hostNetwork = false }: Pod = {},
): string | undefined {
  const port = hostPort ?? (hostNetwork ? containerPort : undefined);
  return port === undefined ? undefined : `${protocol}/${hostIP}/${port}`;
}

const isSamePort = (a: ContainerPort, b: ContainerPort): boolean =>
  a.containerPort === b.containerPort && (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP');

const lowLimits = (own: Container, other: Container, path: string): readonly JsonObject[] =>
  Object.entries(own.resources?.requests ?? {}).flatMap(([name, request]) => {
    const limit = other.resources?.limits?.[name];
    const isOurs = own.resources?.limits?.[name] !== undefined;
    return limit !== undefined && !isOurs && isLess(limit, request)
      ? [{ op: 'remove', path: `${path}/resources/limits/${pointerToken(name)}` }]
      : [];
  });
