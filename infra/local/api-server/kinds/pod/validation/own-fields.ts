import type { FieldError } from '../../../errors/field-error.ts';
import { invalid, notSupported, required } from '../../../errors/field-error.ts';
import { type JsonObject, textAt } from '../../../json/value.ts';
import { misnamed } from '../../../objects/field-rules.ts';
import { qualifiedName } from '../../../objects/names.ts';

/** The pod fields that containers may read as environment variables and as files. */
export const containerFields = [
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

export const fileFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

const knownFields = new Set([
  ...containerFields,
  ...fileFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** Validates a reference to a pod field; only fields in `offered` are allowed here. */
export function fieldErrors(
  reference: JsonObject,
  path: string,
  offered: readonly string[],
): FieldError[] {
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
  if (!knownFields.has(field)) return wrong(`field label not supported: ${field}`);
  return offered.includes(field) ? [] : [notSupported(`${path}.fieldPath`, field, offered)];
}

const resources = ['cpu', 'ephemeral-storage', 'memory'];
const resourceAmounts = ['limits', 'requests'].flatMap((which) =>
  resources.map((resource) => `${which}.${resource}`),
);
const sizeDivisors = [
  '1',
  '1k',
  '1M',
  '1G',
  '1T',
  '1P',
  '1E',
  '1Ki',
  '1Mi',
  '1Gi',
  '1Ti',
  '1Pi',
  '1Ei',
];
const cpuDivisors = ['1m', '1'];

/** Validates a reference to an amount of a container's resources, in units of `divisor`. */
export function resourceFieldErrors(
  reference: JsonObject,
  path: string,
  isFile: boolean,
): FieldError[] {
  const resource = textAt(reference, 'resource');
  return [
    ...sourceErrors(reference, path, isFile),
    ...divisorErrors(resource, String(reference.divisor ?? '0'), path),
  ];
}

function isHugePages(resource: string): boolean {
  return /^(limits|requests)\.hugepages-/.test(resource);
}

function sourceErrors(reference: JsonObject, path: string, isFile: boolean): FieldError[] {
  const resource = textAt(reference, 'resource');
  if (isFile && textAt(reference, 'containerName') === '') {
    return [required(`${path}.containerName`)];
  }
  if (resource === '') return [required(`${path}.resource`)];
  if (resourceAmounts.includes(resource) || isHugePages(resource)) return [];
  return [notSupported(`${path}.resource`, resource, resourceAmounts)];
}

function divisorErrors(resource: string, divisor: string, path: string): FieldError[] {
  if (divisor === '0') return [];
  const wrong = (sizes: readonly string[], what: string): FieldError[] =>
    sizes.includes(divisor)
      ? []
      : [
          invalid(
            `${path}.divisor`,
            resource,
            `only divisor's values ${sizes === cpuDivisors ? '1m and 1' : sizes.join(', ')} are supported with the ${what} resource`,
          ),
        ];
  if (resource.endsWith('.cpu')) return wrong(cpuDivisors, 'cpu');
  if (resource.endsWith('.memory')) return wrong(sizeDivisors, 'memory');
  if (resource.endsWith('.ephemeral-storage'))
    return wrong(sizeDivisors, 'local ephemeral storage');
  return isHugePages(resource) ? wrong(sizeDivisors, 'hugepages') : [];
}
