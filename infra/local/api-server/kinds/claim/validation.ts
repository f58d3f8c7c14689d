import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  listAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../json/value.ts';
import { isSemanticallyEqual } from '../../objects/equality.ts';
import { misnamed, unlisted } from '../../objects/field-rules.ts';
import { labelSelectorErrors } from '../../objects/label-rules.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import { compareQuantities, parseQuantity } from '../../objects/quantity.ts';

const exclusiveMode = 'ReadWriteOncePod';
const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', exclusiveMode];

/** Validates the specification of a volume claim. */
export function claimErrors(spec: JsonObject, path: string): FieldError[] {
  const modes = listAt(spec, 'accessModes').map(String);
  const known = modes.filter((mode) => accessModes.includes(mode));
  const className = textAt(spec, 'storageClassName');
  const field = `${path}.accessModes`;
  return [
    ...(modes.length === 0 ? [required(field, 'at least 1 access mode is required')] : []),
    ...labelSelectorErrors(spec.selector, `${path}.selector`),
    ...modes
      .filter((mode) => !known.includes(mode))
      .map((mode) => notSupported(field, mode, accessModes)),
    ...(known.includes(exclusiveMode) && known.some((mode) => mode !== exclusiveMode)
      ? [forbidden(field, 'may not use ReadWriteOncePod with other access modes')]
      : []),
    ...storageErrors(spec, `${path}.resources[storage]`),
    ...(className === '' ? [] : misnamed(className, `${path}.storageClassName`, dnsSubdomain)),
    ...(typeof spec.volumeMode === 'string'
      ? unlisted(spec.volumeMode, `${path}.volumeMode`, ['Block', 'Filesystem'])
      : []),
    ...['dataSource', 'dataSourceRef'].flatMap((field) => {
      const source = spec[field];
      return isObject(source) ? sourceErrors(source, `${path}.${field}`) : [];
    }),
  ];
}

function sourceErrors(source: JsonObject, path: string): FieldError[] {
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
}

function storageErrors(spec: JsonObject, path: string): FieldError[] {
  const { storage } = objectAt(objectAt(spec, 'resources'), 'requests');
  if (storage === undefined) return [required(path)];
  const { digits, negative } = parseQuantity(String(storage));
  const isPositive = digits > 0n && !negative;
  return isPositive ? [] : [invalid(path, storage, 'must be greater than zero')];
}

/** A claim is immutable except for its volume name; a bound claim may grow. */
export function claimChanged(object: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  const isBound = objectAt(object, 'status').phase === 'Bound';
  const fixed = (spec: JsonObject): JsonObject => {
    const { requests, ...resources } = objectAt(spec, 'resources');
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
    ...shrinkErrors(now, { before, status: objectAt(old, 'status') }),
    ...(now.volumeMode === before.volumeMode
      ? []
      : [invalid('volumeMode', now.volumeMode, 'field is immutable')]),
  ];
}

function shrinkErrors(
  now: JsonObject,
  { before, status }: { readonly before: JsonObject; readonly status: JsonObject },
): FieldError[] {
  const [size, old] = [now, before].map((spec) =>
    String(objectAt(objectAt(spec, 'resources'), 'requests').storage ?? '0'),
  );
  const capacity = String(objectAt(status, 'capacity').storage ?? '0');
  const isSmaller = compareQuantities(size ?? '0', old ?? '0') < 0;
  if (!isSmaller || compareQuantities(size ?? '0', capacity) > 0) return [];
  return [
    forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'),
  ];
}

/** The claim templates of a StatefulSet. */
export function claimTemplateErrors(spec: JsonObject): FieldError[] {
  return objectsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) =>
    claimErrors(objectAt(claim, 'spec'), `spec.volumeClaimTemplates[${index}].spec`),
  );
}
