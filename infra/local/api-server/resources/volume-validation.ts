import type { FieldError } from '../errors/errors.ts';
import { dnsLabel } from '../objects/names.ts';
import { isMap, type JsonMap, mapAt, mapsAt, numberAt, textAt } from '../objects/object.ts';
import { duplicate, forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { parseQuantity } from '../schema/quantity-form.ts';
import { misnamed } from './bounds.ts';

/** What is wrong with the volumes of a pod, and the names of those that are right. */
export const checkVolumes = (
  volumes: readonly JsonMap[],
  path: string,
): { readonly errors: readonly FieldError[]; readonly names: ReadonlySet<string> } => {
  const names = new Set<string>();
  const errors = volumes.flatMap((volume, index) => {
    const field = `${path}[${index}]`;
    const name = textAt(volume, 'name');
    const wrong = [
      ...sourceErrors(volume, field),
      ...(name === '' ? [required(`${field}.name`)] : misnamed(name, `${field}.name`, dnsLabel)),
      ...(names.has(name) ? [duplicate(`${field}.name`, name)] : []),
    ];
    if (wrong.length === 0) names.add(name);
    return wrong;
  });
  return { errors, names };
};

/** In the order in which the server looks for them; of several the first one counts. */
const SOURCES = ['emptyDir', 'hostPath', 'secret', 'persistentVolumeClaim', 'configMap'] as const;

const sourceErrors = (volume: JsonMap, path: string): FieldError[] => {
  const [first, ...others] = SOURCES.filter((source) => volume[source] !== undefined);
  if (first === undefined) return [];
  return [
    ...contentErrors(first, mapAt(volume, first), `${path}.${first}`),
    ...others.map((other) =>
      forbidden(`${path}.${other}`, 'may not specify more than 1 volume type'),
    ),
  ];
};

const NAMED: Partial<Record<(typeof SOURCES)[number], string>> = {
  hostPath: 'path',
  secret: 'secretName',
  persistentVolumeClaim: 'claimName',
  configMap: 'name',
};

const contentErrors = (
  source: (typeof SOURCES)[number],
  content: JsonMap,
  path: string,
): FieldError[] => {
  const name = NAMED[source];
  const mode = numberAt(content, 'defaultMode');
  const isMode = mode === undefined || (mode >= 0 && mode <= 0o777);
  const why = 'must be a number between 0 and 0777 (octal), both inclusive';
  return [
    ...(name !== undefined && textAt(content, name) === '' ? [required(`${path}.${name}`)] : []),
    ...(isMode ? [] : [invalid(`${path}.defaultMode`, mode, why)]),
  ];
};

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** What is wrong with the specification of a volume claim. */
export const claimErrors = (spec: JsonMap, path: string): FieldError[] => {
  const modes = Array.isArray(spec.accessModes) ? spec.accessModes : [];
  const storage = mapAt(mapAt(spec, 'resources'), 'requests').storage;
  const field = `${path}.resources[storage]`;
  return [
    ...(modes.length === 0
      ? [required(`${path}.accessModes`, 'at least 1 access mode is required')]
      : []),
    ...modes
      .filter((mode) => !MODES.includes(String(mode)))
      .map((mode) => notSupported(`${path}.accessModes`, mode, MODES)),
    ...(storage === undefined ? [required(field)] : []),
    ...(storage === undefined || isPositive(String(storage))
      ? []
      : [invalid(field, storage, 'must be greater than zero')]),
  ];
};

const isPositive = (quantity: string): boolean => {
  const { digits, negative } = parseQuantity(quantity);
  return digits > 0n && !negative;
};

/** The claim templates of a StatefulSet. */
export const claimTemplateErrors = (spec: JsonMap): FieldError[] =>
  mapsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) =>
    claimErrors(isMap(claim.spec) ? claim.spec : {}, `spec.volumeClaimTemplates[${index}].spec`),
  );
