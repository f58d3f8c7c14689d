import type { FieldError } from '../errors/errors.ts';
import { dnsSubdomain } from '../objects/names.ts';
import { type JsonMap, type KubeObject, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { invalid, notSupported, required } from '../schema/field-error.ts';
import { specChanged } from './generations.ts';
import type { Strategy } from './strategy.ts';

export const ingress: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  isNewGeneration: specChanged,
  prepareCreate: (object) => {
    object.status = { loadBalancer: {} };
  },
  validate: (object) => specErrors(object),
};

const specErrors = (object: KubeObject): FieldError[] => {
  const spec = mapAt(object, 'spec');
  const rules = mapsAt(spec, 'rules');
  if (rules.length === 0 && spec.defaultBackend === undefined) {
    return [invalid('spec', [], 'either `defaultBackend` or `rules` must be specified')];
  }
  return rules.flatMap((rule, index) => [
    ...hostErrors(textAt(rule, 'host'), `spec.rules[${index}].host`),
    ...mapsAt(mapAt(rule, 'http'), 'paths').flatMap((path, position) =>
      pathErrors(path, `spec.rules[${index}].http.paths[${position}]`),
    ),
  ]);
};

const hostErrors = (host: string, field: string): FieldError[] =>
  host === ''
    ? []
    : dnsSubdomain(host.replace(/^\*\./, '')).map((why) => invalid(field, host, why));

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];

const pathErrors = (path: JsonMap, field: string): FieldError[] => {
  const type = textAt(path, 'pathType');
  const text = textAt(path, 'path');
  const absolute = text.startsWith('/') || (type === 'ImplementationSpecific' && text === '');
  return [
    ...(type === '' ? [required(`${field}.pathType`, 'pathType must be specified')] : []),
    ...(type !== '' && !PATH_TYPES.includes(type)
      ? [notSupported(`${field}.pathType`, type, PATH_TYPES)]
      : []),
    ...(absolute ? [] : [invalid(`${field}.path`, text, 'must be an absolute path')]),
    ...(path.backend === undefined ? [required(`${field}.backend`)] : []),
  ];
};
