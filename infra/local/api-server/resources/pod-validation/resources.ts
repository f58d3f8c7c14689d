import type { FieldError } from '../../errors/errors.ts';
import { qualifiedName } from '../../objects/names.ts';
import { type JsonMap, mapAt, mapsAt, textAt } from '../../objects/object.ts';
import { own } from '../../objects/own.ts';
import { duplicate, forbidden, invalid, notFound, required } from '../../schema/field-error.ts';
import { compareQuantities, isWhole, parseQuantity } from '../../schema/quantity-form.ts';
import { misnamed } from '../bounds.ts';

/** What is wrong with the resources that a container asks for; `claims` are those of its pod. */
export const resourceErrors = (
  resources: JsonMap,
  path: string,
  claims: readonly string[],
): FieldError[] => {
  const limits = mapAt(resources, 'limits');
  const requests = mapAt(resources, 'requests');
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const isBare = !names.some((name) => name === 'cpu' || name === 'memory');
  return [
    ...Object.entries(limits).flatMap(([name, amount]) =>
      amountErrors(name, String(amount), `${path}.limits[${name}]`),
    ),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...amountErrors(name, String(amount), `${path}.requests[${name}]`),
      ...overcommitErrors(name, { request: String(amount), limit: own(limits, name) }, path),
    ]),
    ...(isBare && names.some(isHugePages)
      ? [forbidden(path, 'HugePages require cpu or memory')]
      : []),
    ...mapsAt(resources, 'claims').flatMap((claim, index, all) =>
      claimErrors(claim, `${path}.claims[${index}]`, { earlier: all.slice(0, index), claims }),
    ),
  ];
};

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const mayOvercommit = (name: string): boolean => isNative(name) && !isHugePages(name);
const isExtended = (name: string): boolean =>
  !isNative(name) &&
  !name.startsWith('requests.') &&
  qualifiedName(`requests.${name}`).length === 0;

const OF_CONTAINERS = ['cpu', 'memory', 'ephemeral-storage'];
const COUNTED = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const STANDARD = new Set([
  ...OF_CONTAINERS,
  ...['limits', 'requests'].flatMap((which) => OF_CONTAINERS.map((name) => `${which}.${name}`)),
  ...COUNTED,
  'storage',
  'requests.storage',
]);

const nameErrors = (name: string, path: string): FieldError[] => {
  const unfit = misnamed(name, path, qualifiedName);
  const isPlain = !name.includes('/');
  const isStandard = STANDARD.has(name) || /^(requests\.)?hugepages-/.test(name);
  const wrong = (why: string): FieldError => invalid(path, name, why);
  return [
    ...unfit,
    ...(unfit.length === 0 && isPlain && !isStandard
      ? [wrong('must be a standard resource type or fully qualified')]
      : []),
    ...(isPlain && !OF_CONTAINERS.includes(name) && !isHugePages(name)
      ? [wrong('must be a standard resource for containers')]
      : []),
    ...(isPlain || isNative(name) || isExtended(name)
      ? []
      : [wrong("doesn't follow extended resource name standard")]),
  ];
};

const amountErrors = (name: string, amount: string, path: string): FieldError[] => {
  const { negative, digits } = parseQuantity(amount);
  const size = name.slice('hugepages-'.length);
  return [
    ...nameErrors(name, path),
    ...(negative && digits !== 0n
      ? [invalid(path, amount, 'must be greater than or equal to 0')]
      : []),
    ...((isExtended(name) || COUNTED.includes(name)) && !isWhole(amount)
      ? [invalid(path, amount, 'must be an integer')]
      : []),
    ...(isHugePages(name) && !isWhole(amount, size)
      ? [invalid(path, amount, `${amount} is not positive integer multiple of ${name}`)]
      : []),
  ];
};

const overcommitErrors = (
  name: string,
  { request, limit }: { readonly request: string; readonly limit: unknown },
  path: string,
): FieldError[] => {
  if (limit === undefined) {
    const why = 'Limit must be set for non overcommitable resources';
    return mayOvercommit(name) ? [] : [required(`${path}.limits`, why)];
  }
  const order = compareQuantities(request, String(limit));
  if (order === 0 || (order < 0 && mayOvercommit(name))) return [];
  const how = mayOvercommit(name) ? 'less than or equal to' : 'equal to';
  return [invalid(`${path}.requests`, request, `must be ${how} ${name} limit of ${limit}`)];
};

const claimErrors = (
  claim: JsonMap,
  path: string,
  { earlier, claims }: { readonly earlier: readonly JsonMap[]; readonly claims: readonly string[] },
): FieldError[] => {
  const name = textAt(claim, 'name');
  if (name === '') return [required(path)];
  const known = claims.length === 0 ? ' which is empty' : `: ${claims.toSorted().join(', ')}`;
  const isTaken = earlier.some(
    (one) => one.name === name && (!one.request || !claim.request || one.request === claim.request),
  );
  return [
    ...(isTaken ? [duplicate(path, name)] : []),
    ...(claims.includes(name)
      ? []
      : [notFound(path, name, `must be one of the names in pod.spec.resourceClaims${known}`)]),
  ];
};
