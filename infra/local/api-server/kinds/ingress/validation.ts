import type { FieldError } from '../../errors/field-error.ts';
import { invalid, notSupported, required } from '../../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../json/value.ts';
import { addressErrors, isLenientAddress } from '../../objects/addresses.ts';
import { isPort, misnamed, portRange } from '../../objects/field-rules.ts';
import { dnsLabel, dnsSubdomain, portName, wildcardSubdomain } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';

/** Validates an Ingress. */
export function ingressErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  const rules = objectsAt(spec, 'rules');
  const { ingressClassName: className } = spec;
  return [
    ...(rules.length === 0 && spec.defaultBackend === undefined
      ? [invalid('spec', [], 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...(isObject(spec.defaultBackend)
      ? backendErrors(spec.defaultBackend, 'spec.defaultBackend')
      : []),
    ...rules.flatMap((rule, index) => ruleErrors(rule, `spec.rules[${index}]`)),
    ...objectsAt(spec, 'tls').flatMap((tls, index) => tlsErrors(tls, `spec.tls[${index}]`)),
    ...(typeof className !== 'string'
      ? []
      : misnamed(className, 'spec.ingressClassName', dnsSubdomain)),
    ...(old ? [] : annotationErrors(object.metadata.annotations?.[classAnnotation], className)),
    ...(old ? addressesErrors(addressesOf(object), addressesOf(old)) : []),
  ];
}

function addressesOf({ status }: KubeObject): JsonObject[] {
  return objectsAt(objectAt(objectAt({ status }, 'status'), 'loadBalancer'), 'ingress');
}

/** Validates the addresses in the status of an Ingress; unchanged addresses may stay. */
function addressesErrors(
  addresses: readonly JsonObject[],
  before: readonly JsonObject[],
): FieldError[] {
  const known = before.map((address) => textAt(address, 'ip'));
  return addresses.flatMap((address, index) => {
    const field = `status.loadBalancer.ingress[${index}]`;
    const [ip, hostname] = [textAt(address, 'ip'), textAt(address, 'hostname')];
    const why = 'must be a DNS name, not an IP address';
    return [
      ...(ip === '' || known.includes(ip) ? [] : addressErrors(ip, `${field}.ip`)),
      ...(hostname === '' ? [] : misnamed(hostname, `${field}.hostname`, dnsSubdomain)),
      ...(isLenientAddress(hostname) ? [invalid(`${field}.hostname`, hostname, why)] : []),
    ];
  });
}

/** The annotation for the class, which predates the field. */
const classAnnotation = 'kubernetes.io/ingress.class';

function annotationErrors(annotation: string | undefined, className: unknown): FieldError[] {
  const isOther = typeof className === 'string' && annotation !== className;
  if (annotation === undefined || !isOther) return [];
  const why = 'must match `ingressClassName` when both are specified';
  return [invalid(`annotations.${classAnnotation}`, annotation, why)];
}

function ruleErrors(rule: JsonObject, path: string): FieldError[] {
  const host = textAt(rule, 'host');
  const paths = objectsAt(objectAt(rule, 'http'), 'paths');
  const isAddress = /^\d+(\.\d+){3}$/.test(host);
  return [
    ...(isAddress ? [invalid(`${path}.host`, host, 'must be a DNS name, not an IP address')] : []),
    ...(host === '' ? [] : hostErrors(host, `${path}.host`)),
    ...(isObject(rule.http) && paths.length === 0 ? [required(`${path}.http.paths`)] : []),
    ...paths.flatMap((one, index) => pathErrors(one, `${path}.http.paths[${index}]`)),
  ];
}

function hostErrors(host: string, path: string): FieldError[] {
  return misnamed(host, path, host.includes('*') ? wildcardSubdomain : dnsSubdomain);
}

function tlsErrors(tls: JsonObject, path: string): FieldError[] {
  const secret = textAt(tls, 'secretName');
  return [
    ...listAt(tls, 'hosts').flatMap((host, index) =>
      hostErrors(String(host), `${path}.hosts[${index}]`),
    ),
    ...(secret === '' ? [] : misnamed(secret, `${path}.secretName`, dnsSubdomain)),
  ];
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function pathErrors(path: JsonObject, field: string): FieldError[] {
  const type = textAt(path, 'pathType');
  if (type === '') return [required(`${field}.pathType`, 'pathType must be specified')];
  return [
    ...(pathTypes.includes(type)
      ? textErrors(textAt(path, 'path'), type, `${field}.path`)
      : [notSupported(`${field}.pathType`, type, pathTypes)]),
    ...backendErrors(objectAt(path, 'backend'), `${field}.backend`),
  ];
}

const forbiddenSequences = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenSuffixes = ['/..', '/.'];

function textErrors(text: string, type: string, field: string): FieldError[] {
  const isFree = type === 'ImplementationSpecific';
  const isAbsolute = text.startsWith('/') || (isFree && text === '');
  const wrong = isFree
    ? []
    : [
        ...forbiddenSequences
          .filter((part) => text.includes(part))
          .map((part) => `must not contain '${part}'`),
        ...forbiddenSuffixes
          .filter((part) => text.endsWith(part))
          .map((part) => `cannot end with '${part}'`),
      ];
  const reasons = isAbsolute ? wrong : ['must be an absolute path', ...wrong];
  return reasons.map((why) => invalid(field, text, why));
}

function backendErrors(backend: JsonObject, path: string): FieldError[] {
  const { resource, service } = backend;
  if (isObject(resource) && isObject(service)) {
    return [invalid(path, '', 'cannot set both resource and service backends')];
  }
  if (isObject(service)) return serviceErrors(service, path);
  if (isObject(resource)) {
    return ['kind', 'name']
      .filter((field) => textAt(resource, field) === '')
      .map((field) => required(`${path}.resource.${field}`));
  }
  return [invalid(path, '', 'resource or service backend is required')];
}

function serviceErrors(service: JsonObject, path: string): FieldError[] {
  const name = textAt(service, 'name');
  const field = `${path}.service`;
  return [
    ...(name === '' ? [required(`${field}.name`)] : misnamed(name, `${field}.name`, dnsLabel)),
    ...portErrors(objectAt(service, 'port'), path),
  ];
}

function portErrors(port: JsonObject, path: string): FieldError[] {
  const name = textAt(port, 'name');
  const field = `${path}.service.port`;
  if (name !== '' && port.number) {
    return [invalid(path, '', 'cannot set both port name & port number')];
  }
  if (name !== '') return misnamed(name, `${field}.name`, portName);
  if (!port.number) return [required(path, 'port name or number is required')];
  return isPort(port.number) ? [] : [invalid(`${field}.number`, port.number, portRange)];
}
