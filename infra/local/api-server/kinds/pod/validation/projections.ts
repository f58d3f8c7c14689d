import type { FieldError } from '../../../errors/field-error.ts';
import { forbidden, invalid, required } from '../../../errors/field-error.ts';
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../../json/value.ts';
import { itemErrors, modeErrors, writtenFileErrors } from './file-paths.ts';
import { fieldErrors, fileFields, resourceFieldErrors } from './own-fields.ts';

/** Validates a file that shows fields of the pod. */
export function fileErrors(file: JsonObject, path: string): FieldError[] {
  const name = textAt(file, 'path');
  const { fieldRef: field, resourceFieldRef: resource } = file;
  const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
  return [
    ...(name === '' ? [required(`${path}.path`)] : []),
    ...writtenFileErrors(name, `${path}.path`),
    ...(isObject(field) ? fieldErrors(field, `${path}.fieldRef`, fileFields) : []),
    ...(isObject(field) && isObject(resource) ? [invalid(path, 'resource', both)] : []),
    ...(!isObject(field) && isObject(resource)
      ? resourceFieldErrors(resource, `${path}.resourceFieldRef`, true)
      : []),
    ...(isObject(field) || isObject(resource)
      ? []
      : [required(path, 'one of fieldRef and resourceFieldRef is required')]),
    ...modeErrors(file.mode, `${path}.mode`),
  ];
}

/** Validates a volume with several sources. Each source names its files; no two files may have the same path. */
export function projectionErrors(volume: JsonObject, path: string): FieldError[] {
  const taken = new Set<string>();
  const conflicts = (files: readonly JsonObject[], shown?: string): FieldError[] =>
    files.flatMap((file) => {
      const name = textAt(file, 'path');
      if (name === '') return [];
      if (taken.has(name)) return [invalid(path, shown ?? name, 'conflicting duplicate paths')];
      taken.add(name);
      return [];
    });
  return [
    ...modeErrors(volume.defaultMode, `${path}.defaultMode`),
    ...objectsAt(volume, 'sources').flatMap((source, index) => {
      const field = `${path}.sources[${index}]`;
      const given = knownSources.filter((one) => isObject(source[one]));
      return [
        ...['secret', 'configMap'].flatMap((one) =>
          isObject(source[one])
            ? [
                ...objectErrors(source[one], `${field}.${one}`),
                ...conflicts(objectsAt(source[one], 'items'), textAt(source[one], 'name')),
              ]
            : [],
        ),
        ...objectsAt(objectAt(source, 'downwardAPI'), 'items').flatMap((file) => [
          ...fileErrors(file, `${field}.downwardAPI`),
          ...conflicts([file]),
        ]),
        ...(isObject(source.serviceAccountToken)
          ? tokenErrors(source.serviceAccountToken, field, path)
          : []),
        ...(given.length > 1
          ? [forbidden(field, 'may not specify more than 1 volume type per source')]
          : []),
      ];
    }),
  ];
}

const knownSources = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
];

function objectErrors(content: JsonObject, path: string): FieldError[] {
  return [
    ...(textAt(content, 'name') === '' ? [required(`${path}.name`)] : []),
    ...itemErrors(content, path),
  ];
}

const minLength = 600;
const maxLength = 2 ** 32;

function tokenErrors(token: JsonObject, source: string, volume: string): FieldError[] {
  const seconds = numberAt(token, 'expirationSeconds') ?? 0;
  const file = textAt(token, 'path');
  const wrong = (why: string): FieldError =>
    invalid(`${source}.serviceAccountToken.expirationSeconds`, seconds, why);
  return [
    ...(seconds < minLength ? [wrong('may not specify a duration less than 10 minutes')] : []),
    ...(seconds > maxLength ? [wrong('may not specify a duration larger than 2^32 seconds')] : []),
    ...(file === '' ? [required(`${volume}.path`)] : writtenFileErrors(file, `${volume}.path`)),
  ];
}
