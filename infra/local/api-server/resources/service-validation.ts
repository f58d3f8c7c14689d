import type { FieldError } from '../errors/errors.ts';
import { dnsLabel, qualifiedName } from '../objects/names.ts';
import { type JsonMap, type KubeObject, listAt, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { isPort, misnamed, PORT_RANGE, portErrors } from './bounds.ts';
import { labelErrors } from './label-rules.ts';
import {
  classChanged,
  classErrors,
  externalIpErrors,
  healthCheckErrors,
  sourceErrors,
} from './service-exposure.ts';
import { clusterIpErrors } from './service-families.ts';
import { addressErrors, affinityErrors, trafficErrors } from './service-settings.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** What is wrong with a Service. */
export const serviceErrors = (object: KubeObject, old?: KubeObject): FieldError[] => {
  const spec = mapAt(object, 'spec');
  const before = old && mapAt(old, 'spec');
  return [
    ...(before ? clusterIpChanged(spec, before) : []),
    ...(before ? classChanged(spec, before) : []),
    ...addressErrors(spec),
    ...portsErrors(spec),
    ...labelErrors(mapAt(spec, 'selector'), 'spec.selector'),
    ...affinityErrors(spec),
    ...clusterIpErrors(object, old),
    ...externalIpErrors(spec, before),
    ...(TYPES.includes(textAt(spec, 'type')) ? [] : [notSupported('spec.type', spec.type, TYPES)]),
    ...nodePortsForbidden(spec),
    ...nodePortsTwice(spec),
    ...sourceErrors(object, old),
    ...classErrors(spec),
    ...trafficErrors(spec),
    ...healthCheckErrors(spec, before),
  ];
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
      ...(PROTOCOLS.includes(String(port.protocol))
        ? []
        : [notSupported(`${path}.protocol`, port.protocol, PROTOCOLS)]),
      ...portErrors(port.targetPort, `${path}.targetPort`),
      ...(typeof port.appProtocol === 'string'
        ? misnamed(port.appProtocol, `${path}.appProtocol`, qualifiedName)
        : []),
      ...(keys.indexOf(keys[index] ?? '') < index ? [duplicate(path, asKey(port))] : []),
    ];
  });
};

/** A port as the server compares it, which it shows whole. */
const asKey = ({ protocol, port }: JsonMap) => ({
  Name: '',
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
});

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

/** One number may serve several protocols, but a protocol once only. */
const nodePortsTwice = (spec: JsonMap): FieldError[] => {
  const ports = mapsAt(spec, 'ports');
  const keys = ports.map((port) => `${port.protocol} ${port.nodePort}`);
  return ports.flatMap(({ nodePort }, index) =>
    nodePort && keys.indexOf(keys[index] ?? '') < index
      ? [duplicate(`spec.ports[${index}].nodePort`, nodePort)]
      : [],
  );
};
