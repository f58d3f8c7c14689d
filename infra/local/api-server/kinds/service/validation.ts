import type { FieldError } from '../../errors/field-error.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../../errors/field-error.ts';
import { type JsonObject, listAt, objectAt, objectsAt, textAt } from '../../json/value.ts';
import { isPort, misnamed, portErrors, portRange } from '../../objects/field-rules.ts';
import { labelErrors } from '../../objects/label-rules.ts';
import { dnsLabel, qualifiedName } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import {
  classChanged,
  classErrors,
  externalIpErrors,
  healthCheckErrors,
  sourceErrors,
} from './exposure.ts';
import { clusterIpErrors } from './families.ts';
import { serviceAddressErrors, sessionAffinityErrors, trafficErrors } from './settings.ts';

const knownTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** Validates a Service. */
export function serviceErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  const before = old && objectAt(old, 'spec');
  return [
    ...(before ? clusterIpChanged(spec, before) : []),
    ...(before ? classChanged(spec, before) : []),
    ...serviceAddressErrors(spec),
    ...portsErrors(spec),
    ...labelErrors(objectAt(spec, 'selector'), 'spec.selector'),
    ...sessionAffinityErrors(spec),
    ...clusterIpErrors(object, old),
    ...externalIpErrors(spec, before),
    ...(knownTypes.includes(textAt(spec, 'type'))
      ? []
      : [notSupported('spec.type', spec.type, knownTypes)]),
    ...nodePortsForbidden(spec),
    ...nodePortsTwice(spec),
    ...sourceErrors(object, old),
    ...classErrors(spec),
    ...trafficErrors(spec),
    ...healthCheckErrors(spec, before),
  ];
}

function clusterIpChanged(spec: JsonObject, before: JsonObject): FieldError[] {
  const either = spec.type === 'ExternalName' || before.type === 'ExternalName';
  if (either || !before.clusterIP || spec.clusterIP === before.clusterIP) return [];
  return [invalid('spec.clusterIPs[0]', listAt(spec, 'clusterIPs'), 'may not change once set')];
}

function portsErrors(spec: JsonObject): FieldError[] {
  const ports = objectsAt(spec, 'ports');
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
      ...(isPort(port.port) ? [] : [invalid(`${path}.port`, port.port, portRange)]),
      ...(protocols.includes(String(port.protocol))
        ? []
        : [notSupported(`${path}.protocol`, port.protocol, protocols)]),
      ...portErrors(port.targetPort, `${path}.targetPort`),
      ...(typeof port.appProtocol === 'string'
        ? misnamed(port.appProtocol, `${path}.appProtocol`, qualifiedName)
        : []),
      ...(keys.indexOf(keys[index] ?? '') < index ? [duplicate(path, asKey(port))] : []),
    ];
  });
}

/** A port in the form in which the server compares and prints it. */
function asKey({ protocol, port }: JsonObject) {
  return {
    Name: '',
    Protocol: protocol,
    AppProtocol: null,
    Port: port,
    TargetPort: 0,
    NodePort: 0,
  };
}

function nameErrors(name: string, field: string, needed: boolean): FieldError[] {
  if (name === '') return needed ? [required(field)] : [];
  return dnsLabel(name).map((why) => invalid(field, name, why));
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function nodePortsForbidden(spec: JsonObject): FieldError[] {
  if (spec.type !== 'ClusterIP') return [];
  return objectsAt(spec, 'ports').flatMap(({ nodePort }, index) =>
    nodePort
      ? [forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
      : [],
  );
}

/** Several protocols may share a number, but each protocol and number must be unique. */
function nodePortsTwice(spec: JsonObject): FieldError[] {
  const ports = objectsAt(spec, 'ports');
  const keys = ports.map((port) => `${port.protocol} ${port.nodePort}`);
  return ports.flatMap(({ nodePort }, index) =>
    nodePort && keys.indexOf(keys[index] ?? '') < index
      ? [duplicate(`spec.ports[${index}].nodePort`, nodePort)]
      : [],
  );
}
