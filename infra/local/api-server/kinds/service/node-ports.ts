import { internal, invalidObject } from '../../errors/api-errors.ts';
import { invalid } from '../../errors/field-error.ts';
import { ApiError } from '../../errors/status.ts';
import { type JsonObject, numberAt, objectAt, objectsAt } from '../../json/value.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { WriteContext } from '../../resources/strategy.ts';
import { beforeDryRunPorts, nodePortRange } from './allocator.ts';
import { hasNodePorts, needsHealthCheckPort, needsNodePorts } from './types.ts';

/** Copies the node port of the former port with the same name to a port without a node port, whatever their numbers. */
export function keepNodePorts(object: KubeObject, old: KubeObject): void {
  const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  if (needsNodePorts(spec) && needsNodePorts(before)) {
    const wanted = portsOf(spec);
    const held = new Map(
      objectsAt(before, 'ports').map((port) => [port.name ?? '', nodePortOf(port)]),
    );
    for (const port of objectsAt(spec, 'ports')) {
      const one = held.get(port.name ?? '');
      if (nodePortOf(port) === 0 && one && !wanted.has(one)) port.nodePort = one;
    }
  }
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(before) && before.healthCheckNodePort) {
    spec.healthCheckNodePort ||= before.healthCheckNodePort;
  }
}

/** Allocates the node ports of a Service: the requested node ports, otherwise free node ports. */
export function allocateNodePorts(
  object: KubeObject,
  context: WriteContext,
  old?: KubeObject,
): void {
  const spec = objectAt(object, 'spec');
  const before = old ? objectAt(old, 'spec') : undefined;
  const ports = startTaking(context);
  const { name = '' } = object.metadata;
  const takeFor = (index: number, port: number): void => {
    const why = ports.take(port);
    if (why === undefined) return;
    throw invalidObject({ group: '', kind: 'Service', name }, [
      invalid(`spec.ports[${index}].nodePort`, port, why),
    ]);
  };
  if (hasNodePorts(spec)) {
    if (before) fillUpdated(spec, before, { ...ports, takeFor });
    else fillNew(spec, { ...ports, takeFor });
  }
  const needed = before !== undefined && needsHealthCheckPort(before);
  if (needsHealthCheckPort(spec) && !needed) fillHealthCheck(spec, ports);
}

interface Ports {
  /** Reserves a port; returns the error if it is not available. */
  readonly take: (port: number) => string | undefined;
  /** Reserves a free port; in a dry run, returns the one after the highest that was taken. */
  readonly takeNext: () => number;
}

type PortsOfService = Ports & { readonly takeFor: (index: number, port: number) => void };

function startTaking({ services, dryRun }: WriteContext): Ports {
  const taken = new Set<number>();
  const takeNext = (): number => {
    const free = dryRun
      ? (taken.size === 0 ? beforeDryRunPorts : Math.max(...taken)) + 1
      : services.freeNodePort(taken);
    taken.add(free);
    return free;
  };
  const take = (port: number): string | undefined => {
    const { first, last } = nodePortRange;
    if (!dryRun && (port < first || port > last)) {
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    }
    if (taken.has(port) || services.nodePortHolder(port) !== undefined) {
      return 'provided port is already allocated';
    }
    taken.add(port);
    return undefined;
  };
  return { take, takeNext };
}

/** In a new Service, ports with the same number share a node port unless they request different node ports. */
function fillNew(spec: JsonObject, ports: PortsOfService): void {
  const all = objectsAt(spec, 'ports');
  const chosen = new Map<number, number>();
  for (const [index, port] of all.entries()) {
    const wanted = nodePortOf(port);
    if (wanted === 0 && !needsNodePorts(spec)) continue;
    const number = numberOf(port);
    const known = chosen.get(number);
    if (!chosen.has(number)) {
      const named = all.find((other) => numberOf(other) === number && nodePortOf(other) !== 0);
      const given = named ? nodePortOf(named) : ports.takeNext();
      if (named) ports.takeFor(index, nodePortOf(named));
      port.nodePort = given;
      chosen.set(number, given);
    } else if (wanted !== 0 && wanted !== known) ports.takeFor(index, wanted);
    else if (known !== undefined) port.nodePort = known;
  }
}

function fillUpdated(spec: JsonObject, before: JsonObject, ports: PortsOfService): void {
  const held = portsOf(before);
  const seen = new Set<string>();
  for (const [index, port] of objectsAt(spec, 'ports').entries()) {
    const wanted = nodePortOf(port);
    if (wanted === 0) {
      if (!needsNodePorts(spec)) continue;
      port.nodePort = ports.takeNext();
    } else if (!held.has(wanted)) {
      ports.takeFor(index, wanted);
      held.add(wanted);
    }
    const key = `{${port.protocol} ${port.nodePort}}`;
    if (seen.has(key)) throw internal(`duplicate nodePort: ${key}`);
    seen.add(key);
  }
}

function fillHealthCheck(spec: JsonObject, ports: Ports): void {
  const wanted = numberAt(spec, 'healthCheckNodePort') ?? 0;
  if (wanted === 0) {
    spec.healthCheckNodePort = ports.takeNext();
    return;
  }
  const why = ports.take(wanted);
  if (why === undefined) return;
  const problem = `failed to allocate requested HealthCheck NodePort ${wanted}: ${why}`;
  throw new ApiError({
    message: `Internal error occurred: ${problem}`,
    reason: 'InternalError',
    details: { causes: [{ message: problem }] },
    code: 500,
  });
}

function nodePortOf(port: JsonObject): number {
  return numberAt(port, 'nodePort') ?? 0;
}

function numberOf(port: JsonObject): number {
  return numberAt(port, 'port') ?? 0;
}

/** Returns the node ports that the ports of a Service request. */
function portsOf(spec: JsonObject): Set<number> {
  return new Set(
    objectsAt(spec, 'ports')
      .map(nodePortOf)
      .filter((port) => port !== 0),
  );
}
