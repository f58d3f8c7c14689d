import type { FieldError } from '../../errors/errors.ts';
import { isMap, type JsonMap, mapAt, mapsAt, numberAt, textAt } from '../../objects/object.ts';
import { forbidden, invalid, required } from '../../schema/field-error.ts';
import { itemErrors, modeErrors, writtenFileErrors } from './file-paths.ts';
import { FILE_FIELDS, fieldErrors, resourceFieldErrors } from './own-fields.ts';

/** A file that tells something about the pod itself. */
export const fileErrors = (file: JsonMap, path: string): FieldError[] => {
  const name = textAt(file, 'path');
  const { fieldRef: field, resourceFieldRef: resource } = file;
  const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';
  return [
    ...(name === '' ? [required(`${path}.path`)] : []),
    ...writtenFileErrors(name, `${path}.path`),
    ...(isMap(field) ? fieldErrors(field, `${path}.fieldRef`, FILE_FIELDS) : []),
    ...(isMap(field) && isMap(resource) ? [invalid(path, 'resource', both)] : []),
    ...(!isMap(field) && isMap(resource)
      ? resourceFieldErrors(resource, `${path}.resourceFieldRef`, true)
      : []),
    ...(isMap(field) || isMap(resource)
      ? []
      : [required(path, 'one of fieldRef and resourceFieldRef is required')]),
    ...modeErrors(file.mode, `${path}.mode`),
  ];
};

/** A volume made of several sources: each names its files, and no file is named twice. */
export const projectionErrors = (volume: JsonMap, path: string): FieldError[] => {
  const taken = new Set<string>();
  const conflicts = (files: readonly JsonMap[], shown?: string): FieldError[] =>
    files.flatMap((file) => {
      const name = textAt(file, 'path');
      if (name === '') return [];
      if (taken.has(name)) return [invalid(path, shown ?? name, 'conflicting duplicate paths')];
      taken.add(name);
      return [];
    });
  return [
    ...modeErrors(volume.defaultMode, `${path}.defaultMode`),
    ...mapsAt(volume, 'sources').flatMap((source, index) => {
      const field = `${path}.sources[${index}]`;
      const given = SOURCES.filter((one) => isMap(source[one]));
      return [
        ...['secret', 'configMap'].flatMap((one) =>
          isMap(source[one])
            ? [
                ...objectErrors(source[one], `${field}.${one}`),
                ...conflicts(mapsAt(source[one], 'items'), textAt(source[one], 'name')),
              ]
            : [],
        ),
        ...mapsAt(mapAt(source, 'downwardAPI'), 'items').flatMap((file) => [
          ...fileErrors(file, `${field}.downwardAPI`),
          ...conflicts([file]),
        ]),
        ...(isMap(source.serviceAccountToken)
          ? tokenErrors(source.serviceAccountToken, field, path)
          : []),
        ...(given.length > 1
          ? [forbidden(field, 'may not specify more than 1 volume type per source')]
          : []),
      ];
    }),
  ];
};

const SOURCES = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
];

const objectErrors = (content: JsonMap, path: string): FieldError[] => [
  ...(textAt(content, 'name') === '' ? [required(`${path}.name`)] : []),
  ...itemErrors(content, path),
];

const SHORTEST = 600;
const LONGEST = 2 ** 32;

const tokenErrors = (token: JsonMap, source: string, volume: string): FieldError[] => {
  const seconds = numberAt(token, 'expirationSeconds') ?? 0;
  const file = textAt(token, 'path');
  const wrong = (why: string): FieldError =>
    invalid(`${source}.serviceAccountToken.expirationSeconds`, seconds, why);
  return [
    ...(seconds < SHORTEST ? [wrong('may not specify a duration less than 10 minutes')] : []),
    ...(seconds > LONGEST ? [wrong('may not specify a duration larger than 2^32 seconds')] : []),
    ...(file === '' ? [required(`${volume}.path`)] : writtenFileErrors(file, `${volume}.path`)),
  ];
};
