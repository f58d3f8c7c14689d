import type { FieldError } from '../errors/errors.ts';
import { dnsLabel, dnsSubdomain, portName, wildcardSubdomain } from '../objects/names.ts';
import {
  isMap,
  type JsonMap,
  type KubeObject,
  listAt,
  mapAt,
  mapsAt,
  textAt,
} from '../objects/object.ts';
import { invalid, notSupported, required } from '../schema/field-error.ts';
import { addressErrors, isSloppyAddress } from './addresses.ts';
import { isPort, misnamed, PORT_RANGE } from './bounds.ts';

/** What is wrong with an Ingress. */
export const ingressErrors = (object: KubeObject, old?: KubeObject): FieldError[] => {
  const spec = mapAt(object, 'spec');
  const rules = mapsAt(spec, 'rules');
  const { ingressClassName: className } = spec;
  return [
    ...(rules.length === 0 && spec.defaultBackend === undefined
      ? [invalid('spec', [], 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...(isMap(spec.defaultBackend)
      ? backendErrors(spec.defaultBackend, 'spec.defaultBackend')
      : []),
    ...rules.flatMap((rule, index) => ruleErrors(rule, `spec.rules[${index}]`)),
    ...mapsAt(spec, 'tls').flatMap((tls, index) => tlsErrors(tls, `spec.tls[${index}]`)),
    ...(typeof className !== 'string'
      ? []
      : misnamed(className, 'spec.ingressClassName', dnsSubdomain)),
    ...(old ? [] : annotationErrors(object.metadata.annotations?.[CLASS], className)),
    ...(old ? addressesErrors(addressesOf(object), addressesOf(old)) : []),
  ];
};

const addressesOf = ({ status }: KubeObject): JsonMap[] =>
  mapsAt(mapAt(mapAt({ status }, 'status'), 'loadBalancer'), 'ingress');

/** What is wrong with where an Ingress is reached; an address that was there may stay. */
const addressesErrors = (
  addresses: readonly JsonMap[],
  before: readonly JsonMap[],
): FieldError[] => {
  const known = before.map((address) => textAt(address, 'ip'));
  return addresses.flatMap((address, index) => {
    const field = `status.loadBalancer.ingress[${index}]`;
    const [ip, hostname] = [textAt(address, 'ip'), textAt(address, 'hostname')];
    const why = 'must be a DNS name, not an IP address';
    return [
      ...(ip === '' || known.includes(ip) ? [] : addressErrors(ip, `${field}.ip`)),
      ...(hostname === '' ? [] : misnamed(hostname, `${field}.hostname`, dnsSubdomain)),
      ...(isSloppyAddress(hostname) ? [invalid(`${field}.hostname`, hostname, why)] : []),
    ];
  });
};

/** Where classes were named before there was a field. */
const CLASS = 'kubernetes.io/ingress.class';

const annotationErrors = (annotation: string | undefined, className: unknown): FieldError[] => {
  const isOther = typeof className === 'string' && annotation !== className;
  if (annotation === undefined || !isOther) return [];
  const why = 'must match `ingressClassName` when both are specified';
  return [invalid(`annotations.${CLASS}`, annotation, why)];
};

const ruleErrors = (rule: JsonMap, path: string): FieldError[] => {
  const host = textAt(rule, 'host');
  const paths = mapsAt(mapAt(rule, 'http'), 'paths');
  const isAddress = /^\d+(\.\d+){3}$/.test(host);
  return [
    ...(isAddress ? [invalid(`${path}.host`, host, 'must be a DNS name, not an IP address')] : []),
    ...(host === '' ? [] : hostErrors(host, `${path}.host`)),
    ...(isMap(rule.http) && paths.length === 0 ? [required(`${path}.http.paths`)] : []),
    ...paths.flatMap((one, index) => pathErrors(one, `${path}.http.paths[${index}]`)),
  ];
};

const hostErrors = (host: string, path: string): FieldError[] =>
  misnamed(host, path, host.includes('*') ? wildcardSubdomain : dnsSubdomain);

const tlsErrors = (tls: JsonMap, path: string): FieldError[] => {
  const secret = textAt(tls, 'secretName');
  return [
    ...listAt(tls, 'hosts').flatMap((host, index) =>
      hostErrors(String(host), `${path}.hosts[${index}]`),
    ),
    ...(secret === '' ? [] : misnamed(secret, `${path}.secretName`, dnsSubdomain)),
  ];
};

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

const pathErrors = (path: JsonMap, field: string): FieldError[] => {
  const type = textAt(path, 'pathType');
  if (type === '') return [required(`${field}.pathType`, 'pathType must be specified')];
  return [
    ...(PATH_TYPES.includes(type)
      ? textErrors(textAt(path, 'path'), type, `${field}.path`)
      : [notSupported(`${field}.pathType`, type, PATH_TYPES)]),
    ...backendErrors(mapAt(path, 'backend'), `${field}.backend`),
  ];
};

const SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const SUFFIXES = ['/..', '/.'];

const textErrors = (text: string, type: string, field: string): FieldError[] => {
  const isFree = type === 'ImplementationSpecific';
  const isAbsolute = text.startsWith('/') || (isFree && text === '');
  const wrong = isFree
    ? []
    : [
        ...SEQUENCES.filter((part) => text.includes(part)).map(
          (part) => `must not contain '${part}'`,
        ),
        ...SUFFIXES.filter((part) => text.endsWith(part)).map(
          (part) => `cannot end with '${part}'`,
        ),
      ];
  const whys = isAbsolute ? wrong : ['must be an absolute path', ...wrong];
  return whys.map((why) => invalid(field, text, why));
};

const backendErrors = (backend: JsonMap, path: string): FieldError[] => {
  const { resource, service } = backend;
  if (isMap(resource) && isMap(service)) {
    return [invalid(path, '', 'cannot set both resource and service backends')];
  }
  if (isMap(service)) return serviceErrors(service, path);
  if (isMap(resource)) {
    return ['kind', 'name']
      .filter((field) => textAt(resource, field) === '')
      .map((field) => required(`${path}.resource.${field}`));
  }
  return [invalid(path, '', 'resource or service backend is required')];
};

const serviceErrors = (service: JsonMap, path: string): FieldError[] => {
  const name = textAt(service, 'name');
  const field = `${path}.service`;
  return [
    ...(name === '' ? [required(`${field}.name`)] : misnamed(name, `${field}.name`, dnsLabel)),
    ...portErrors(mapAt(service, 'port'), path),
  ];
};

const portErrors = (port: JsonMap, path: string): FieldError[] => {
  const name = textAt(port, 'name');
  const field = `${path}.service.port`;
  if (name !== '' && port.number) {
    return [invalid(path, '', 'cannot set both port name & port number')];
  }
  if (name !== '') return misnamed(name, `${field}.name`, portName);
  if (!port.number) return [required(path, 'port name or number is required')];
  return isPort(port.number) ? [] : [invalid(`${field}.number`, port.number, PORT_RANGE)];
};
