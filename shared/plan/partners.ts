import type { Json, JsonObject, KubeObject } from '../kubernetes.ts';

/**
 * The JSON patch that takes out what cannot stand beside our fields, after the server has refused
 * the two together; empty where nothing of the kind is found.
 *
 * Guarantees: locked by a test on the version that was read; touches only members of a union of
 * which another is ours, and Service ports that clash with ours.
 */
export function takeOutPartners(desired: JsonObject, live: KubeObject): readonly JsonObject[] {
  const operations = unions(desired, live as unknown as Json, '');
  const ports = live.kind === 'Service' ? clashingPorts(desired, live) : [];
  const all = [...operations, ...ports];
  if (all.length === 0) return [];
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
    ...all,
  ];
}

/** Fields of which the API allows one at a time. */
const exclusive: readonly (readonly string[])[] = [
  ['value', 'valueFrom'],
  ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'],
  ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef'],
];

function unions(
  desired: Json | undefined,
  live: Json | undefined,
  path: string,
): readonly JsonObject[] {
  if (Array.isArray(desired) && Array.isArray(live)) {
    return desired.flatMap((item) => {
      const at = live.findIndex((other) => isSameItem(item, other));
      return at < 0 ? [] : unions(item, live[at], `${path}/${at}`);
    });
  }
  if (!isMap(desired) || !isMap(live)) return [];
  const own = exclusive
    .filter((group) => group.some((field) => desired[field] !== undefined))
    .flat()
    .filter((field) => desired[field] === undefined && live[field] !== undefined)
    .map((field) => ({ op: 'remove', path: `${path}/${escaped(field)}` }));
  const inner = Object.keys(desired).flatMap((field) =>
    unions(desired[field], live[field], `${path}/${escaped(field)}`),
  );
  return [...own, ...inner];
}

const isSameItem = (a: Json, b: Json): boolean =>
  isMap(a) && isMap(b) && a.name !== undefined && a.name === b.name;

interface Port {
  readonly port?: number;
  readonly protocol?: string;
  readonly name?: string;
  readonly nodePort?: number;
}

/** Ports of a Service need names as soon as there are two, and names and node ports of their own. */
function clashingPorts(desired: JsonObject, live: KubeObject): readonly JsonObject[] {
  const wanted = portsOf(desired.spec);
  const present = portsOf(live.spec);
  const clashes = (port: Port): boolean =>
    !wanted.some((own) => isSamePort(own, port)) &&
    wanted.some(
      (own) =>
        port.name === undefined ||
        own.name === port.name ||
        (own.nodePort !== undefined && own.nodePort === port.nodePort),
    );
  const left = present.filter((port) => !clashes(port));
  if (wanted.length === 0 || left.length === present.length) return [];
  const missing = wanted.filter((own) => !left.some((port) => isSamePort(own, port)));
  return [{ op: 'replace', path: '/spec/ports', value: [...left, ...missing] as Json[] }];
}

const isSamePort = (a: Port, b: Port): boolean =>
  a.port === b.port && (a.protocol ?? 'TCP') === (b.protocol ?? 'TCP');

const portsOf = (spec: unknown): readonly Port[] =>
  (spec as { readonly ports?: readonly Port[] } | undefined)?.ports ?? [];

const escaped = (field: string): string => field.replaceAll('~', '~0').replaceAll('/', '~1');

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
