import { type JsonMap, type KubeObject, mapAt, mapsAt, numberAt } from '../objects/object.ts';
import { dropForOtherType } from './service-type-change.ts';
import { needsHealthCheckPort, needsNodePorts } from './service-types.ts';
import type { WriteContext } from './strategy.ts';

/** Gives a Service what it needs and does not name: a cluster IP, its families, node ports. */
export const allocate = (object: KubeObject, context: WriteContext, old?: KubeObject): void => {
  const spec = mapAt(object, 'spec');
  if (old) dropForOtherType(spec, mapAt(old, 'spec'));
  if (spec.clusterIP === '') delete spec.clusterIP;
  if (spec.type === 'ExternalName') {
    if (spec.clusterIP !== undefined) spec.clusterIPs ??= [spec.clusterIP];
    return;
  }
  spec.clusterIP ??= context.services.freeClusterIp();
  spec.clusterIPs ??= [spec.clusterIP];
  chooseFamilies(spec);
  allocateNodePorts(spec, context);
};

/** A headless Service without a selector may have endpoints of either family. */
const chooseFamilies = (spec: JsonMap): void => {
  const isOpen = spec.clusterIP === 'None' && Object.keys(mapAt(spec, 'selector')).length === 0;
  spec.ipFamilyPolicy ??= isOpen ? 'RequireDualStack' : 'SingleStack';
  spec.ipFamilies ??= spec.ipFamilyPolicy === 'RequireDualStack' ? ['IPv4', 'IPv6'] : ['IPv4'];
};

const allocateNodePorts = (spec: JsonMap, { services, dryRun }: WriteContext): void => {
  if (dryRun) return;
  const ports = needsNodePorts(spec) ? mapsAt(spec, 'ports') : [];
  const taken = new Set(ports.map((port) => Number(port.nodePort ?? 0)));
  const take = (): number => {
    const free = services.freeNodePort(taken);
    taken.add(free);
    return free;
  };
  for (const port of ports) if (!port.nodePort) port.nodePort = take();
  if (needsHealthCheckPort(spec) && !spec.healthCheckNodePort) spec.healthCheckNodePort = take();
};

/** What an update leaves out of the allocated values stays as it was. */
export const keepAllocated = (object: KubeObject, old: KubeObject): void => {
  const spec = mapAt(object, 'spec');
  const before = mapAt(old, 'spec');
  if (spec.type !== 'ExternalName' && before.type !== 'ExternalName') {
    keepAddresses(spec, before);
    copy(spec, before, ['ipFamilies', 'ipFamilyPolicy']);
  }
  if (needsNodePorts(spec) && needsNodePorts(before)) keepNodePorts(spec, before);
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(before)) {
    copy(spec, before, ['healthCheckNodePort']);
  }
};

const keepAddresses = (spec: JsonMap, before: JsonMap): void => {
  if (!spec.clusterIP && !spec.clusterIPs) {
    copy(spec, before, ['clusterIP', 'clusterIPs']);
  } else if (spec.clusterIP && spec.clusterIP === before.clusterIP && !spec.clusterIPs) {
    copy(spec, before, ['clusterIPs']);
  } else if (spec.clusterIP && spec.clusterIP !== before.clusterIP) {
    const same = JSON.stringify(spec.clusterIPs) === JSON.stringify(before.clusterIPs);
    if (same) spec.clusterIPs = [spec.clusterIP];
  }
};

const copy = (to: JsonMap, from: JsonMap, fields: readonly string[]): void => {
  for (const field of fields) {
    const isEmpty = to[field] === undefined || to[field] === '';
    if (isEmpty && from[field] !== undefined) to[field] = from[field];
  }
};

/** A port without a node port has that of the port that had its name, whatever its number was. */
const keepNodePorts = (spec: JsonMap, before: JsonMap): void => {
  const named = new Set(mapsAt(spec, 'ports').map((port) => port.nodePort));
  const held = new Map(
    mapsAt(before, 'ports').map((port) => [port.name ?? '', numberAt(port, 'nodePort')]),
  );
  for (const port of mapsAt(spec, 'ports')) {
    const one = held.get(port.name ?? '');
    if (!port.nodePort && one && !named.has(one)) port.nodePort = one;
  }
};
