import type { Json, JsonObject } from '../kubernetes.ts';
import { isLess } from './quantity.ts';

interface Pod {
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
}

/**
 * The JSON patch that removes from a pod template what others added and the server refuses together
 * with our fields: a port with the name of one of ours, a limit below our request, a grace period that
 * is shorter than our containers' preStop sleep.
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
    ...(wanted.containers ?? []).flatMap((own) => {
      const at = (present.containers ?? []).findIndex(({ name }) => name === own.name);
      const other = present.containers?.[at];
      const path = `${pod}/containers/${at}`;
      return other === undefined
        ? []
        : [...clashingPorts(own, other, path), ...lowLimits(own, other, path)];
    }),
  ];
}

const pod = '/spec/template/spec';

/** The pod template's spec of a Deployment or StatefulSet. */
const podOf = (object: Json | undefined): Pod =>
  (object as { readonly spec?: { readonly template?: { readonly spec?: Pod } } } | undefined)?.spec
    ?.template?.spec ?? {};

/** From the last to the first, so that indexes stay valid. */
const clashingPorts = (
  { ports: wanted = [] }: Container,
  { ports: present = [] }: Container,
  path: string,
): readonly JsonObject[] =>
  present
    .flatMap((port, at) => {
      const isOurs = wanted.some((own) => isSamePort(own, port));
      const isNamesake = wanted.some(({ name }) => name !== undefined && name === port.name);
      return !isOurs && isNamesake ? [{ op: 'remove', path: `${path}/ports/${at}` }] : [];
    })
    .toReversed();

const isSamePort = (a: ContainerPort, b: ContainerPort): boolean =>
  a.containerPort === b.containerPort && (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP');

const lowLimits = (own: Container, other: Container, path: string): readonly JsonObject[] =>
  Object.entries(own.resources?.requests ?? {}).flatMap(([name, request]) => {
    const limit = other.resources?.limits?.[name];
    const isOurs = own.resources?.limits?.[name] !== undefined;
    const key = name.replaceAll('~', '~0').replaceAll('/', '~1');
    return limit !== undefined && !isOurs && isLess(limit, request)
      ? [{ op: 'remove', path: `${path}/resources/limits/${key}` }]
      : [];
  });
