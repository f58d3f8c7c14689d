import { randomInt } from 'node:crypto';

/** Returns the reasons why a name is illegal; empty for a legal name. */
export type NameRule = (name: string) => readonly string[];

const labelPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const label1035Pattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualifiedPattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

function tooLong(value: string, limit: number): string[] {
  return value.length > limit ? [`must be no more than ${limit} characters`] : [];
}

function mismatch(value: string, pattern: RegExp, message: string): string[] {
  return pattern.test(value) ? [] : [message];
}

/** DNS-1123 subdomain: the rule of most kinds. */
export const dnsSubdomain: NameRule = (name) => [
  ...tooLong(name, 253),
  ...mismatch(
    name,
    subdomainPattern,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ),
];

/** DNS-1123 label: namespaces, Services, containers. */
export const dnsLabel: NameRule = (name) => [...tooLong(name, 63), ...labelProblem(name)];

function labelProblem(name: string): string[] {
  if (labelPattern.test(name)) return [];
  if (subdomainPattern.test(name)) return ['must not contain dots'];
  return [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ];
}

/** DNS-1035 label: the names in a definition. */
export const dnsLabel1035: NameRule = (name) => [
  ...tooLong(name, 63),
  ...mismatch(
    name,
    label1035Pattern,
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  ),
];

/** A path segment: RBAC objects, whose names may hold colons. */
export const pathSegment: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((part) => name.includes(part))
    .map((part) => `may not contain '${part}'`);
};

const qualifiedMessage =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** A label or annotation key, or a finalizer: `[prefix/]name`. */
export const qualifiedName: NameRule = (value) => {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  return [
    ...(prefix === undefined ? [] : prefixProblems(prefix)),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(name.length > 63 ? ['name part must be no more than 63 bytes'] : []),
    ...mismatch(name, qualifiedPattern, qualifiedMessage),
  ];
};

function prefixProblems(prefix: string): string[] {
  return prefix === ''
    ? ['prefix part must be non-empty']
    : dnsSubdomain(prefix).map((problem) => `prefix part ${problem}`);
}

export const labelValue: NameRule = (value) => [
  ...(value.length > 63 ? ['must be no more than 63 bytes'] : []),
  ...mismatch(
    value,
    /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/,
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ),
];

/** Returns each rule that a port name breaks. */
export const portName: NameRule = (name) => [
  ...tooLong(name, 15),
  ...mismatch(
    name,
    /^[-a-z0-9]+$/,
    'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
  ),
  ...mismatch(name, /[a-z]/, 'must contain at least one letter (a-z)'),
  ...mismatch(name, /^(?!.*--)/, 'must not contain consecutive hyphens'),
  ...mismatch(name, /^(?!-)(?!.*-$)/, 'must not begin or end with a hyphen'),
];

/** A wildcard DNS-1123 subdomain: `*.` and a subdomain. */
export const wildcardSubdomain: NameRule = (name) =>
  mismatch(
    name,
    /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  );

/** A path below a domain. */
export const domainPath: NameRule = (text) => {
  const [domain = '', ...rest] = text.split('/');
  const path = rest.join('/');
  if (domain === '' || path === '') {
    return ['must be a domain-prefixed path (such as "acme.io/foo")'];
  }
  return [
    ...dnsSubdomain(domain),
    ...mismatch(
      path,
      /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/,
      `Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
    ),
  ];
};

export const percentage: NameRule = (text) =>
  mismatch(
    text,
    /^[0-9]+%$/,
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
  );

/** Validates the name of an environment variable, or a prefix of such names. */
export const environmentName: NameRule = (name) => [
  ...(name === '' ? ['environment variable name must be non-empty'] : []),
  ...mismatch(
    name,
    /^[ -<>-~]*$/,
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
  ),
];

/** Validates a key of a ConfigMap or Secret, which may become a file name. */
export const configKey: NameRule = (key) => [
  ...tooLong(key, 253),
  ...mismatch(
    key,
    /^[-._a-zA-Z0-9]+$/,
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  ),
  ...pathProblems(key),
];

function pathProblems(key: string): string[] {
  if (key === '.' || key === '..') return [`must not be '${key}'`];
  return key.startsWith('..') ? ["must not start with '..'"] : [];
}

export const headerName: NameRule = (name) =>
  mismatch(
    name,
    /^[-A-Za-z0-9]+$/,
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  );

/** A DNS-1123 subdomain that allows underscores inside its labels: a DNS search domain. */
export const searchDomain: NameRule = (name) => [
  ...tooLong(name, 253),
  ...mismatch(
    name,
    /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/,
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
  ),
];

// Has no vowels and no digits that resemble them, so that no word appears.
const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const maxBaseLength = 58;

/** Appends five random characters to `base`, shortened to the limit of every kind. */
export function generateName(base: string): string {
  const suffix = Array.from(
    { length: 5 },
    () => suffixAlphabet[randomInt(suffixAlphabet.length)],
  ).join('');
  return `${base.slice(0, maxBaseLength)}${suffix}`;
}
