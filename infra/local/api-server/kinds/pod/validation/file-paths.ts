import type { FieldError } from '../../../errors/field-error.ts';
import { invalid, required } from '../../../errors/field-error.ts';
import { type JsonObject, objectsAt, textAt } from '../../../json/value.ts';

/** A path with `..` in it. */
export function backstepErrors(path: string, field: string): FieldError[] {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}

/** Finds a path that leads out of its volume. */
export function descendingErrors(path: string, field: string): FieldError[] {
  return [
    ...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []),
    ...backstepErrors(path, field),
  ];
}

/** Checks the path of a file written by the kubelet, which reserves names that begin with two dots. */
export function writtenFileErrors(path: string, field: string): FieldError[] {
  return [
    ...descendingErrors(path, field),
    ...(path.startsWith('..') && !path.startsWith('../')
      ? [invalid(field, path, "must not start with '..'")]
      : []),
  ];
}

const backstepProblem = 'must be a number between 0 and 0777 (octal), both inclusive';

/** Invalid file permissions. */
export function modeErrors(mode: unknown, field: string): FieldError[] {
  return typeof mode !== 'number' || (mode >= 0 && mode <= 0o777)
    ? []
    : [invalid(field, mode, backstepProblem)];
}

/** Validates the items of a volume: keys of an object that become files. */
export function itemErrors(content: JsonObject, path: string): FieldError[] {
  return objectsAt(content, 'items').flatMap((item, index) => {
    const field = `${path}.items[${index}]`;
    const file = textAt(item, 'path');
    return [
      ...(textAt(item, 'key') === '' ? [required(`${field}.key`)] : []),
      ...(file === '' ? [required(`${field}.path`)] : []),
      ...writtenFileErrors(file, `${field}.path`),
      ...modeErrors(item.mode, `${field}.mode`),
    ];
  });
}
