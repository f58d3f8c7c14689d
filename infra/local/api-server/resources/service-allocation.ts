import { type JsonMap, type KubeObject, mapAt, mapsAt } from '../objects/object.ts';
import { hasNodePorts } from './service-types.ts';
import type { WriteContext } from './strategy.ts';

/** Gives a Service what it needs and does not name: a cluster IP, its families, node ports. */
export const allocate = (object: KubeObject, context: WriteContext, old?: KubeObject): void => {
  const spec = mapAt(object, 'spec');
  if (spec.type === 'ExternalName') {
    release(spec);
    return;
  }
  allocateClusterIp(spec, context);
  spec.ipFamilies ??= ['IPv4'];
  spec.ipFamilyPolicy ??= 'SingleStack';
  if (hasNodePorts(spec)) allocateNodePorts(spec, context);
  else clearNodePorts(spec, old);
};

const release = (spec: JsonMap): void => {
  for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'])
    delete spec[field];
  clearNodePorts(spec, undefined);
};

// A dry run shows no address: none is taken.
const allocateClusterIp = (spec: JsonMap, { services, dryRun }: WriteContext): void => {
  if (spec.clusterIP === '') delete spec.clusterIP;
  if (spec.clusterIP === undefined && !dryRun) spec.clusterIP = services.freeClusterIp();
  if (spec.clusterIP !== undefined) spec.clusterIPs ??= [spec.clusterIP];
};

const allocateNodePorts = (spec: JsonMap, { services, dryRun }: WriteContext): void => {
  if (spec.allocateLoadBalancerNodePorts === false || dryRun) return;
  const ports = mapsAt(spec, 'ports');
  const taken = new Set(ports.map((port) => Number(port.nodePort ?? 0)));
  for (const port of ports) {
    if (port.nodePort) continue;
    const free = services.freeNodePort(taken);
    port.nodePort = free;
    taken.add(free);
  }
};

/** Node ports that came with the old type go with it; new ones beside ClusterIP are an error. */
const clearNodePorts = (spec: JsonMap, old: KubeObject | undefined): void => {
  const before = mapAt(old, 'spec');
  if (!hasNodePorts(before)) return;
  const held = new Set(mapsAt(before, 'ports').map((port) => port.nodePort));
  for (const port of mapsAt(spec, 'ports')) if (held.has(port.nodePort)) delete port.nodePort;
  const policy = spec.externalTrafficPolicy;
  if (policy !== undefined && policy === before.externalTrafficPolicy) {
    delete spec.externalTrafficPolicy;
  }
};

/** What an update leaves out of the allocated values stays as it was. */
export const keepAllocated = (object: KubeObject, old: KubeObject): void => {
  const spec = mapAt(object, 'spec');
  const before = mapAt(old, 'spec');
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return;
  if (!spec.clusterIP && !spec.clusterIPs) {
    copy(spec, before, ['clusterIP', 'clusterIPs']);
  } else if (spec.clusterIP && spec.clusterIP === before.clusterIP && !spec.clusterIPs) {
    copy(spec, before, ['clusterIPs']);
  } else if (spec.clusterIP && spec.clusterIP !== before.clusterIP) {
    const same = JSON.stringify(spec.clusterIPs) === JSON.stringify(before.clusterIPs);
    if (same) spec.clusterIPs = [spec.clusterIP];
  }
  copy(spec, before, ['ipFamilies', 'ipFamilyPolicy']);
  if (hasNodePorts(spec) && hasNodePorts(before)) keepNodePorts(spec, before);
};

const copy = (to: JsonMap, from: JsonMap, fields: readonly string[]): void => {
  for (const field of fields) {
    if (to[field] === undefined && from[field] !== undefined) to[field] = from[field];
  }
};

const keepNodePorts = (spec: JsonMap, before: JsonMap): void => {
  const named = mapsAt(spec, 'ports').map((port) => port.nodePort);
  for (const port of mapsAt(spec, 'ports')) {
    const same = mapsAt(before, 'ports').find(
      (one) => one.port === port.port && one.protocol === port.protocol,
    );
    if (!port.nodePort && same?.nodePort && !named.includes(same.nodePort)) {
      port.nodePort = same.nodePort;
    }
  }
};
