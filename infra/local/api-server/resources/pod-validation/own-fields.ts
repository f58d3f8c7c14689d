import type { FieldError } from '../../errors/errors.ts';
import { qualifiedName } from '../../objects/names.ts';
import { type JsonMap, textAt } from '../../objects/object.ts';
import { invalid, notSupported, required } from '../../schema/field-error.ts';
import { misnamed } from '../bounds.ts';

/** What a pod may tell its containers about itself, in variables and in files. */
export const CONTAINER_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

export const FILE_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const KNOWN = new Set([
  ...CONTAINER_FIELDS,
  ...FILE_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** A field of the pod by its path, of which those that are `told` may be had here. */
export const fieldErrors = (
  reference: JsonMap,
  path: string,
  told: readonly string[],
): FieldError[] => {
  const version = textAt(reference, 'apiVersion');
  const field = textAt(reference, 'fieldPath');
  if (version === '') return [required(`${path}.apiVersion`)];
  if (field === '') return [required(`${path}.fieldPath`)];
  const wrong = (why: string): FieldError[] => [
    invalid(`${path}.fieldPath`, field, `error converting fieldPath: ${why}`),
  ];
  if (version !== 'v1') return wrong(`unsupported pod version: ${version}`);
  const [, map = '', key = ''] = /^(.*)\['(.*)'\]$/.exec(field) ?? [];
  if (map === 'metadata.labels') return misnamed(key, path, qualifiedName);
  if (map === 'metadata.annotations') return misnamed(key.toLowerCase(), path, qualifiedName);
  if (map !== '') return wrong(`field label does not support subscript: ${field}`);
  if (!KNOWN.has(field)) return wrong(`field label not supported: ${field}`);
  return told.includes(field) ? [] : [notSupported(`${path}.fieldPath`, field, told)];
};

const RESOURCES = ['cpu', 'ephemeral-storage', 'memory'];
const AMOUNTS = ['limits', 'requests'].flatMap((which) =>
  RESOURCES.map((resource) => `${which}.${resource}`),
);
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const SHARES = ['1m', '1'];

/** An amount of a container's resources, told in units of `divisor`. */
export const resourceFieldErrors = (
  reference: JsonMap,
  path: string,
  isFile: boolean,
): FieldError[] => {
  const resource = textAt(reference, 'resource');
  return [
    ...sourceErrors(reference, path, isFile),
    ...divisorErrors(resource, String(reference.divisor ?? '0'), path),
  ];
};

const isHugePages = (resource: string): boolean => /^(limits|requests)\.hugepages-/.test(resource);

const sourceErrors = (reference: JsonMap, path: string, isFile: boolean): FieldError[] => {
  const resource = textAt(reference, 'resource');
  if (isFile && textAt(reference, 'containerName') === '') {
    return [required(`${path}.containerName`)];
  }
  if (resource === '') return [required(`${path}.resource`)];
  if (AMOUNTS.includes(resource) || isHugePages(resource)) return [];
  return [notSupported(`${path}.resource`, resource, AMOUNTS)];
};

const divisorErrors = (resource: string, divisor: string, path: string): FieldError[] => {
  if (divisor === '0') return [];
  const wrong = (sizes: readonly string[], what: string): FieldError[] =>
    sizes.includes(divisor)
      ? []
      : [
          invalid(
            `${path}.divisor`,
            resource,
            `only divisor's values ${sizes === SHARES ? '1m and 1' : sizes.join(', ')} are supported with the ${what} resource`,
          ),
        ];
  if (resource.endsWith('.cpu')) return wrong(SHARES, 'cpu');
  if (resource.endsWith('.memory')) return wrong(SIZES, 'memory');
  if (resource.endsWith('.ephemeral-storage')) return wrong(SIZES, 'local ephemeral storage');
  return isHugePages(resource) ? wrong(SIZES, 'hugepages') : [];
};
