import type { FieldError } from '../../errors/errors.ts';
import { type JsonMap, mapsAt, textAt } from '../../objects/object.ts';
import { invalid, required } from '../../schema/field-error.ts';

/** A path that leads up. */
export const backstepErrors = (path: string, field: string): FieldError[] =>
  path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];

/** A path that does not stay below where it begins. */
export const descendingErrors = (path: string, field: string): FieldError[] => [
  ...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []),
  ...backstepErrors(path, field),
];

/** A path of a file that the kubelet writes, which has names of its own that begin with dots. */
export const writtenFileErrors = (path: string, field: string): FieldError[] => [
  ...descendingErrors(path, field),
  ...(path.startsWith('..') && !path.startsWith('../')
    ? [invalid(field, path, "must not start with '..'")]
    : []),
];

const WHY = 'must be a number between 0 and 0777 (octal), both inclusive';

/** Permissions of a file that are none. */
export const modeErrors = (mode: unknown, field: string): FieldError[] =>
  typeof mode !== 'number' || (mode >= 0 && mode <= 0o777) ? [] : [invalid(field, mode, WHY)];

/** The keys of an object that become files. */
export const itemErrors = (content: JsonMap, path: string): FieldError[] =>
  mapsAt(content, 'items').flatMap((item, index) => {
    const field = `${path}.items[${index}]`;
    const file = textAt(item, 'path');
    return [
      ...(textAt(item, 'key') === '' ? [required(`${field}.key`)] : []),
      ...(file === '' ? [required(`${field}.path`)] : []),
      ...writtenFileErrors(file, `${field}.path`),
      ...modeErrors(item.mode, `${field}.mode`),
    ];
  });
