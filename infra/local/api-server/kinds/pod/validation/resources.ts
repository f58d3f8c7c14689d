import type { FieldError } from '../../../errors/field-error.ts';
import { duplicate, forbidden, invalid, notFound, required } from '../../../errors/field-error.ts';
import { own } from '../../../json/own.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../../json/value.ts';
import { misnamed } from '../../../objects/field-rules.ts';
import { qualifiedName } from '../../../objects/names.ts';
import { compareQuantities, isWhole, parseQuantity } from '../../../objects/quantity.ts';

/** Validates the resources of a container; `claims` are the pod's resource claims. */
export function resourceErrors(
  resources: JsonObject,
  path: string,
  claims: readonly string[],
): FieldError[] {
  const limits = objectAt(resources, 'limits');
  const requests = objectAt(resources, 'requests');
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
    ...objectsAt(resources, 'claims').flatMap((claim, index, all) =>
      claimErrors(claim, `${path}.claims[${index}]`, { earlier: all.slice(0, index), claims }),
    ),
  ];
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function mayOvercommit(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

function isExtended(name: string): boolean {
  return (
    !isNative(name) &&
    !name.startsWith('requests.') &&
    qualifiedName(`requests.${name}`).length === 0
  );
}

const containerResources = ['cpu', 'memory', 'ephemeral-storage'];
const counted = [
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
const standardNames = new Set([
  ...containerResources,
  ...['limits', 'requests'].flatMap((which) =>
    containerResources.map((name) => `${which}.${name}`),
  ),
  ...counted,
  'storage',
  'requests.storage',
]);

function nameErrors(name: string, path: string): FieldError[] {
  const unfit = misnamed(name, path, qualifiedName);
  const isPlain = !name.includes('/');
  const isStandard = standardNames.has(name) || /^(requests\.)?hugepages-/.test(name);
  const wrong = (why: string): FieldError => invalid(path, name, why);
  return [
    ...unfit,
    ...(unfit.length === 0 && isPlain && !isStandard
      ? [wrong('must be a standard resource type or fully qualified')]
      : []),
    ...(isPlain && !containerResources.includes(name) && !isHugePages(name)
      ? [wrong('must be a standard resource for containers')]
      : []),
    ...(isPlain || isNative(name) || isExtended(name)
      ? []
      : [wrong("doesn't follow extended resource name standard")]),
  ];
}

function amountErrors(name: string, amount: string, path: string): FieldError[] {
  const { negative, digits } = parseQuantity(amount);
  const size = name.slice('hugepages-'.length);
  return [
    ...nameErrors(name, path),
    ...(negative && digits !== 0n
      ? [invalid(path, amount, 'must be greater than or equal to 0')]
      : []),
    ...((isExtended(name) || counted.includes(name)) && !isWhole(amount)
      ? [invalid(path, amount, 'must be an integer')]
      : []),
    ...(isHugePages(name) && !isWhole(amount, size)
      ? [invalid(path, amount, `${amount} is not positive integer multiple of ${name}`)]
      : []),
  ];
}

function overcommitErrors(
  name: string,
  { request, limit }: { readonly request: string; readonly limit: unknown },
  path: string,
): FieldError[] {
  if (limit === undefined) {
    const why = 'Limit must be set for non overcommitable resources';
    return mayOvercommit(name) ? [] : [required(`${path}.limits`, why)];
  }
  const order = compareQuantities(request, String(limit));
  if (order === 0 || (order < 0 && mayOvercommit(name))) return [];
  const how = mayOvercommit(name) ? 'less than or equal to' : 'equal to';
  return [invalid(`${path}.requests`, request, `must be ${how} ${name} limit of ${limit}`)];
}

function claimErrors(
  claim: JsonObject,
  path: string,
  {
    earlier,
    claims,
  }: { readonly earlier: readonly JsonObject[]; readonly claims: readonly string[] },
): FieldError[] {
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
}
