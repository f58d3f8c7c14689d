import { type FieldError, invalidObject } from '../errors/errors.ts';
import { dnsLabel } from '../objects/names.ts';
import { type JsonMap, type KubeObject, listAt, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { keyOf } from '../storage/stored.ts';
import { isPort, PORT_RANGE, portErrors } from './bounds.ts';
import { isClusterIp, NODE_PORTS } from './service-allocator.ts';
import {
  addressErrors,
  affinityErrors,
  isAddress,
  notAnAddress,
  trafficErrors,
} from './service-settings.ts';
import { needsNodePorts } from './service-types.ts';
import type { WriteContext } from './strategy.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** What is wrong with a Service. */
export const serviceErrors = (object: KubeObject, old?: KubeObject): FieldError[] => {
  const spec = mapAt(object, 'spec');
  return [
    ...(old ? clusterIpChanged(spec, mapAt(old, 'spec')) : []),
    ...portsErrors(spec),
    ...affinityErrors(spec),
    ...addressErrors(spec),
    ...(TYPES.includes(textAt(spec, 'type')) ? [] : [notSupported('spec.type', spec.type, TYPES)]),
    ...nodePortsForbidden(spec),
    ...trafficErrors(spec),
  ];
};

/** Refuses what a Service wants and cannot have; the server finds out before it validates. */
export const assertAllocatable = (
  object: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
): void => {
  const spec = mapAt(object, 'spec');
  const { namespace = '', name = '' } = object.metadata;
  // What a Service of this name holds is its own only once it exists.
  const own = old ? keyOf(namespace, name) : undefined;
  if (name === '' && !spec.clusterIP && spec.type !== 'ExternalName') {
    throw invalidObject({ group: '', kind: 'Service', name }, [nobodysAddress(context)]);
  }
  const steps = [
    () => familyErrors(spec),
    () => clusterIpTaken(spec, own, context),
    () => (context.dryRun ? [] : nodePortsTaken(spec, own, context)),
  ];
  for (const find of steps) {
    const errors = find();
    if (errors.length > 0) throw invalidObject({ group: '', kind: 'Service', name }, errors);
  }
};

const familyErrors = (spec: JsonMap): FieldError[] => {
  const isOpen = spec.clusterIP === 'None' && Object.keys(mapAt(spec, 'selector')).length === 0;
  const { ipFamilyPolicy: policy } = spec;
  if (spec.type === 'ExternalName' || isOpen || policy !== 'RequireDualStack') return [];
  const why = 'this cluster is not configured for dual-stack services';
  return [
    invalid('spec.ipFamilyPolicy', policy, why),
    ...listAt(spec, 'ipFamilies').flatMap((family, index) =>
      family === 'IPv4'
        ? []
        : [invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
    ),
  ];
};

// An address is an object of its own, which names its Service.
const nobodysAddress = ({ services }: WriteContext): FieldError =>
  invalid(
    'spec.clusterIPs',
    [''],
    `failed to allocate IP: IPAddress.networking.k8s.io "${services.freeClusterIp()}" is invalid: spec.parentRef.name: Required value`,
  );

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
      ...(PROTOCOLS.includes(String(port.protocol))
        ? []
        : [notSupported(`${path}.protocol`, port.protocol, PROTOCOLS)]),
      ...portErrors(port.targetPort, `${path}.targetPort`),
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

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

const nodePortsForbidden = (spec: JsonMap): FieldError[] => {
  if (spec.type !== 'ClusterIP') return [];
  return mapsAt(spec, 'ports').flatMap(({ nodePort }, index) =>
    nodePort
      ? [forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
      : [],
  );
};

const clusterIpTaken = (
  spec: JsonMap,
  own: string | undefined,
  { services }: WriteContext,
): FieldError[] => {
  const address = textAt(spec, 'clusterIP');
  if (address === '' || address === 'None' || spec.type === 'ExternalName') return [];
  if (!isAddress(address)) return [notAnAddress('spec.clusterIPs[0]', address)];
  const holder = services.clusterIpHolder(address);
  const why = !isClusterIp(address)
    ? 'the provided network does not match the current range'
    : holder !== undefined && holder !== own && 'provided IP is already allocated';
  if (why === false) return [];
  return [invalid('spec.clusterIPs', [address], `failed to allocate IP ${address}: ${why}`)];
};

const nodePortsTaken = (
  spec: JsonMap,
  own: string | undefined,
  { services }: WriteContext,
): FieldError[] => {
  if (!needsNodePorts(spec)) return [];
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
