import type { FieldError } from '../errors/errors.ts';
import { dnsLabel } from '../objects/names.ts';
import { type JsonMap, type KubeObject, listAt, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { keyOf } from '../storage/stored.ts';
import { isPort, PORT_RANGE } from './pod-validation.ts';
import { isClusterIp, NODE_PORTS } from './service-allocator.ts';
import { hasNodePorts } from './service-types.ts';
import type { WriteContext } from './strategy.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** What is wrong with a Service; what it wants and another holds comes last. */
export const serviceErrors = (
  object: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
): FieldError[] => {
  const spec = mapAt(object, 'spec');
  const errors = [
    ...(old ? clusterIpChanged(spec, mapAt(old, 'spec')) : []),
    ...(TYPES.includes(textAt(spec, 'type')) ? [] : [notSupported('spec.type', spec.type, TYPES)]),
    ...portsErrors(spec),
  ];
  if (errors.length > 0) return errors;
  const key = keyOf(object.metadata.namespace ?? '', object.metadata.name ?? '');
  // What a Service of this name holds is its own only once it exists.
  const own = old ? key : undefined;
  return [...clusterIpTaken(spec, own, context), ...nodePortsTaken(spec, own, context)];
};

const clusterIpChanged = (spec: JsonMap, before: JsonMap): FieldError[] => {
  const either = spec.type === 'ExternalName' || before.type === 'ExternalName';
  if (either || !before.clusterIP || spec.clusterIP === before.clusterIP) return [];
  return [invalid('spec.clusterIPs[0]', listAt(spec, 'clusterIPs'), 'may not change once set')];
};

const portsErrors = (spec: JsonMap): FieldError[] => {
  const ports = mapsAt(spec, 'ports');
  const headless = spec.clusterIP === 'None' || spec.type === 'ExternalName';
  if (ports.length === 0 && !headless) return [required('spec.ports')];
  const names = ports.map((port) => textAt(port, 'name'));
  const keys = ports.map((port) => `${port.protocol}/${port.port}`);
  return ports.flatMap((port, index) => {
    const path = `spec.ports[${index}]`;
    const name = names[index] ?? '';
    return [
      ...nameErrors(name, `${path}.name`, ports.length > 1),
      ...(name !== '' && names.indexOf(name) < index ? [duplicate(`${path}.name`, name)] : []),
      ...(isPort(port.port) ? [] : [invalid(`${path}.port`, port.port, PORT_RANGE)]),
      ...(typeof port.targetPort === 'number' && !isPort(port.targetPort)
        ? [invalid(`${path}.targetPort`, port.targetPort, PORT_RANGE)]
        : []),
      ...nodePortAllowed(spec, port, path),
      ...(keys.indexOf(keys[index] ?? '') < index
        ? [duplicate(path, { port: port.port, protocol: port.protocol })]
        : []),
    ];
  });
};

const nameErrors = (name: string, field: string, needed: boolean): FieldError[] => {
  if (name === '') return needed ? [required(field)] : [];
  return dnsLabel(name).map((why) => invalid(field, name, why));
};

const nodePortAllowed = (spec: JsonMap, port: JsonMap, path: string): FieldError[] => {
  if (!port.nodePort || hasNodePorts(spec)) return [];
  return [forbidden(`${path}.nodePort`, "may not be used when `type` is 'ClusterIP'")];
};

const clusterIpTaken = (
  spec: JsonMap,
  own: string | undefined,
  { services }: WriteContext,
): FieldError[] => {
  const address = textAt(spec, 'clusterIP');
  if (address === '' || address === 'None') return [];
  const holder = services.clusterIpHolder(address);
  const why = !isClusterIp(address)
    ? 'the provided network does not match the current range'
    : holder !== undefined && holder !== own && 'provided IP is already allocated';
  if (why === false) return [];
  const list = listAt(spec, 'clusterIPs');
  return [invalid('spec.clusterIPs', list, `failed to allocate IP ${address}: ${why}`)];
};

const nodePortsTaken = (
  spec: JsonMap,
  own: string | undefined,
  { services }: WriteContext,
): FieldError[] => {
  const ports = mapsAt(spec, 'ports');
  // One number may serve several protocols, but a protocol once only.
  const wanted = ports.map((port) => `${port.protocol} ${port.nodePort}`);
  return ports.flatMap(({ nodePort, protocol }, index) => {
    if (typeof nodePort !== 'number' || nodePort === 0) return [];
    const field = `spec.ports[${index}].nodePort`;
    if (nodePort < NODE_PORTS.first || nodePort > NODE_PORTS.last) {
      return [
        invalid(
          field,
          nodePort,
          `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`,
        ),
      ];
    }
    const holder = services.nodePortHolder(nodePort);
    const taken =
      (holder !== undefined && holder !== own) || wanted.indexOf(`${protocol} ${nodePort}`) < index;
    return taken ? [invalid(field, nodePort, 'provided port is already allocated')] : [];
  });
};
