import type { FieldError } from '../../../errors/field-error.ts';
import { invalid, required } from '../../../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../json/value.ts';
import { addressErrors } from '../../../objects/addresses.ts';
import { misnamed, unlisted } from '../../../objects/field-rules.ts';
import { dnsSubdomain, searchDomain } from '../../../objects/names.ts';

/** With the host's network, a container port must equal its host port. */
export function hostPortErrors(spec: JsonObject, path: string): FieldError[] {
  if (spec.hostNetwork !== true) return [];
  const why = 'must match `containerPort` when `hostNetwork` is true';
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap(({ hostPort = 0, containerPort }, at) =>
      hostPort === 0 || hostPort === containerPort
        ? []
        : [invalid(`${path}.containers[${index}].ports[${at}].hostPort`, hostPort, why)],
    ),
  );
}

const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

export function dnsPolicyErrors(spec: JsonObject, path: string): FieldError[] {
  return unlisted(spec.dnsPolicy, `${path}.dnsPolicy`, dnsPolicies);
}

const maxServers = 3;
const maxSearches = 32;
const maxSearchesLength = 2048;

/** Validates the DNS configuration of a pod. */
export function dnsErrors(spec: JsonObject, path: string): FieldError[] {
  const config = objectAt(spec, 'dnsConfig');
  const field = `${path}.dnsConfig`;
  const servers = listAt(config, 'nameservers').map(String);
  if (spec.dnsPolicy === 'None' && !isObject(spec.dnsConfig)) {
    return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (spec.dnsPolicy === 'None' && servers.length === 0) {
    const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [required(`${field}.nameservers`, why)];
  }
  const tooManyServers = `must not have more than ${maxServers} nameservers`;
  return [
    ...(servers.length > maxServers
      ? [invalid(`${field}.nameservers`, servers, tooManyServers)]
      : []),
    ...servers.flatMap((server, index) => addressErrors(server, `${field}.nameservers[${index}]`)),
    ...searchErrors(listAt(config, 'searches').map(String), `${field}.searches`),
    ...objectsAt(config, 'options').flatMap((option, index) =>
      textAt(option, 'name') === ''
        ? [required(`${field}.options[${index}]`, 'must not be empty')]
        : [],
    ),
  ];
}

function searchErrors(searches: readonly string[], path: string): FieldError[] {
  const wrong = (why: string): FieldError =>
    invalid(path, searches, `must not have more than ${why}`);
  return [
    ...(searches.length > maxSearches ? [wrong(`${maxSearches} search paths`)] : []),
    ...(searches.join(' ').length > maxSearchesLength
      ? [wrong(`${maxSearchesLength} characters (including spaces) in the search list`)]
      : []),
    ...searches.flatMap((search, index) =>
      search === '.' ? [] : misnamed(search.replace(/\.$/, ''), `${path}[${index}]`, searchDomain),
    ),
  ];
}

export function hostAliasErrors(spec: JsonObject, path: string): FieldError[] {
  return objectsAt(spec, 'hostAliases').flatMap((alias, index) => {
    const field = `${path}.hostAliases[${index}]`;
    return [
      ...addressErrors(textAt(alias, 'ip'), `${field}.ip`),
      ...listAt(alias, 'hostnames').flatMap((name, at) =>
        misnamed(String(name), `${field}.hostnames[${at}]`, dnsSubdomain),
      ),
    ];
  });
}
