import type { FieldError } from '../errors/errors.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import { dnsSubdomain } from '../objects/names.ts';
import {
  isMap,
  type JsonMap,
  type KubeObject,
  listAt,
  mapAt,
  mapsAt,
  textAt,
} from '../objects/object.ts';
import { forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { compareQuantities, parseQuantity } from '../schema/quantity-form.ts';
import { misnamed, unlisted } from './bounds.ts';
import { labelSelectorErrors } from './label-rules.ts';

const ALONE = 'ReadWriteOncePod';
const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', ALONE];

/** What is wrong with the specification of a volume claim. */
export const claimErrors = (spec: JsonMap, path: string): FieldError[] => {
  const modes = listAt(spec, 'accessModes').map(String);
  const known = modes.filter((mode) => MODES.includes(mode));
  const className = textAt(spec, 'storageClassName');
  const field = `${path}.accessModes`;
  return [
    ...(modes.length === 0 ? [required(field, 'at least 1 access mode is required')] : []),
    ...labelSelectorErrors(spec.selector, `${path}.selector`),
    ...modes
      .filter((mode) => !known.includes(mode))
      .map((mode) => notSupported(field, mode, MODES)),
    ...(known.includes(ALONE) && known.some((mode) => mode !== ALONE)
      ? [forbidden(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
    ...storageErrors(spec, `${path}.resources[storage]`),
    ...(className === '' ? [] : misnamed(className, `${path}.storageClassName`, dnsSubdomain)),
    ...(typeof spec.volumeMode === 'string'
      ? unlisted(spec.volumeMode, `${path}.volumeMode`, ['Block', 'Filesystem'])
      : []),
    ...['dataSource', 'dataSourceRef'].flatMap((field) => {
      const source = spec[field];
      return isMap(source) ? sourceErrors(source, `${path}.${field}`) : [];
    }),
  ];
};

const sourceErrors = (source: JsonMap, path: string): FieldError[] => {
  const group = textAt(source, 'apiGroup');
  const isForeign = group === '' && source.kind !== 'PersistentVolumeClaim';
  const why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...['name', 'kind']
      .filter((field) => textAt(source, field) === '')
      .map((field) => required(`${path}.${field}`)),
    ...(isForeign ? [invalid(path, source.kind ?? '', why)] : []),
    ...(group === '' ? [] : misnamed(group, `${path}.apiGroup`, dnsSubdomain)),
  ];
};

const storageErrors = (spec: JsonMap, path: string): FieldError[] => {
  const { storage } = mapAt(mapAt(spec, 'resources'), 'requests');
  if (storage === undefined) return [required(path)];
  const { digits, negative } = parseQuantity(String(storage));
  const isPositive = digits > 0n && !negative;
  return isPositive ? [] : [invalid(path, storage, 'must be greater than zero')];
};

/** A claim stays what it is, but for the volume it is bound to; a bound one may grow. */
export const claimChanged = (object: KubeObject, old: KubeObject): FieldError[] => {
  const [now, before] = [mapAt(object, 'spec'), mapAt(old, 'spec')];
  const isBound = mapAt(object, 'status').phase === 'Bound';
  const fixed = (spec: JsonMap): JsonMap => {
    const { requests, ...resources } = mapAt(spec, 'resources');
    return {
      ...spec,
      volumeName: before.volumeName ? spec.volumeName : undefined,
      storageClassName: before.storageClassName ? spec.storageClassName : undefined,
      volumeAttributesClassName: isBound ? undefined : spec.volumeAttributesClassName,
      resources: isBound ? resources : { ...resources, requests },
    };
  };
  const why =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  return [
    ...(isSemanticallyEqual(fixed(now), fixed(before)) ? [] : [forbidden('spec', why)]),
    ...shrinkErrors(now, { before, status: mapAt(old, 'status') }),
    ...(now.volumeMode === before.volumeMode
      ? []
      : [invalid('volumeMode', now.volumeMode, 'field is immutable')]),
  ];
};

const shrinkErrors = (
  now: JsonMap,
  { before, status }: { readonly before: JsonMap; readonly status: JsonMap },
): FieldError[] => {
  const [size, old] = [now, before].map((spec) =>
    String(mapAt(mapAt(spec, 'resources'), 'requests').storage ?? '0'),
  );
  const capacity = String(mapAt(status, 'capacity').storage ?? '0');
  const isSmaller = compareQuantities(size ?? '0', old ?? '0') < 0;
  if (!isSmaller || compareQuantities(size ?? '0', capacity) > 0) return [];
  return [
    forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'),
  ];
};

/** The claim templates of a StatefulSet. */
export const claimTemplateErrors = (spec: JsonMap): FieldError[] =>
  mapsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) =>
    claimErrors(mapAt(claim, 'spec'), `spec.volumeClaimTemplates[${index}].spec`),
  );
