import type { FieldError } from '../../errors/errors.ts';
import { dnsSubdomain, searchDomain } from '../../objects/names.ts';
import { isMap, type JsonMap, listAt, mapAt, mapsAt, textAt } from '../../objects/object.ts';
import { invalid, required } from '../../schema/field-error.ts';
import { addressErrors } from '../addresses.ts';
import { misnamed, unlisted } from '../bounds.ts';

/** A pod in the network of its node has no ports but those of the node. */
export const hostPortErrors = (spec: JsonMap, path: string): FieldError[] => {
  if (spec.hostNetwork !== true) return [];
  const why = 'must match `containerPort` when `hostNetwork` is true';
  return mapsAt(spec, 'containers').flatMap((container, index) =>
    mapsAt(container, 'ports').flatMap(({ hostPort = 0, containerPort }, at) =>
      hostPort === 0 || hostPort === containerPort
        ? []
        : [invalid(`${path}.containers[${index}].ports[${at}].hostPort`, hostPort, why)],
    ),
  );
};

const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

export const dnsPolicyErrors = (spec: JsonMap, path: string): FieldError[] =>
  unlisted(spec.dnsPolicy, `${path}.dnsPolicy`, DNS_POLICIES);

const MOST_SERVERS = 3;
const MOST_SEARCHES = 32;
const LONGEST_SEARCHES = 2048;

/** What is wrong with how a pod finds names. */
export const dnsErrors = (spec: JsonMap, path: string): FieldError[] => {
  const config = mapAt(spec, 'dnsConfig');
  const field = `${path}.dnsConfig`;
  const servers = listAt(config, 'nameservers').map(String);
  if (spec.dnsPolicy === 'None' && !isMap(spec.dnsConfig)) {
    return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  if (spec.dnsPolicy === 'None' && servers.length === 0) {
    const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [required(`${field}.nameservers`, why)];
  }
  const tooManyServers = `must not have more than ${MOST_SERVERS} nameservers`;
  return [
    ...(servers.length > MOST_SERVERS
      ? [invalid(`${field}.nameservers`, servers, tooManyServers)]
      : []),
    ...servers.flatMap((server, index) => addressErrors(server, `${field}.nameservers[${index}]`)),
    ...searchErrors(listAt(config, 'searches').map(String), `${field}.searches`),
    ...mapsAt(config, 'options').flatMap((option, index) =>
      textAt(option, 'name') === ''
        ? [required(`${field}.options[${index}]`, 'must not be empty')]
        : [],
    ),
  ];
};

const searchErrors = (searches: readonly string[], path: string): FieldError[] => {
  const wrong = (why: string): FieldError =>
    invalid(path, searches, `must not have more than ${why}`);
  return [
    ...(searches.length > MOST_SEARCHES ? [wrong(`${MOST_SEARCHES} search paths`)] : []),
    ...(searches.join(' ').length > LONGEST_SEARCHES
      ? [wrong(`${LONGEST_SEARCHES} characters (including spaces) in the search list`)]
      : []),
    ...searches.flatMap((search, index) =>
      search === '.' ? [] : misnamed(search.replace(/\.$/, ''), `${path}[${index}]`, searchDomain),
    ),
  ];
};

export const hostAliasErrors = (spec: JsonMap, path: string): FieldError[] =>
  mapsAt(spec, 'hostAliases').flatMap((alias, index) => {
    const field = `${path}.hostAliases[${index}]`;
    return [
      ...addressErrors(textAt(alias, 'ip'), `${field}.ip`),
      ...listAt(alias, 'hostnames').flatMap((name, at) =>
        misnamed(String(name), `${field}.hostnames[${at}]`, dnsSubdomain),
      ),
    ];
  });
