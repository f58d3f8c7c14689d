import { type NameRule, percentage, portName } from '../objects/names.ts';
import type { JsonMap } from '../objects/object.ts';
import { type FieldError, invalid, notSupported, required } from '../schema/field-error.ts';

/** The fields of an object that are negative. */
export const negative = (object: JsonMap, path: string, fields: readonly string[]): FieldError[] =>
  fields.flatMap((field) => {
    const value = object[field];
    if (typeof value !== 'number' || value >= 0) return [];
    return [invalid(`${path}.${field}`, value, 'must be greater than or equal to 0')];
  });

/** The counts of a status that are higher than one that they are part of. */
export const exceeding = (
  status: JsonMap,
  whole: string,
  parts: readonly string[],
): FieldError[] => {
  const most = Number(status[whole] ?? 0);
  const why = `cannot be greater than ${whole === 'replicas' ? 'status.replicas' : whole}`;
  return parts
    .filter((part) => Number(status[part] ?? 0) > most)
    .map((part) => invalid(`status.${part}`, status[part] ?? 0, why));
};

/** A text that breaks a rule, once for each way. */
export const misnamed = (text: string, path: string, rule: NameRule): FieldError[] =>
  rule(text).map((why) => invalid(path, text, why));

/** A text that has to be there, and to keep a rule. */
export const needed = (text: string, path: string, rule: NameRule): FieldError[] =>
  text === '' ? [required(path)] : misnamed(text, path, rule);

/** A value that is none of those that there are; what is absent is shown as an empty text. */
export const unlisted = (value: unknown, path: string, known: readonly string[]): FieldError[] =>
  known.includes(String(value)) ? [] : [notSupported(path, value ?? '', known)];

/** A number that is less than 1. */
export const notPositive = (value: number, path: string): FieldError[] =>
  value > 0 ? [] : [invalid(path, value, 'must be greater than zero')];

export const PORT_RANGE = 'must be between 1 and 65535, inclusive';

export const isPort = (value: unknown): boolean =>
  typeof value === 'number' && value >= 1 && value <= 65535;

/** A port of a container by number or by name. */
export const portErrors = (port: unknown, path: string): FieldError[] => {
  if (typeof port === 'string') return misnamed(port, path, portName);
  return isPort(port ?? 0) ? [] : [invalid(path, port ?? 0, PORT_RANGE)];
};

/** A number or a share; the share of what is told elsewhere. */
export const shareErrors = (share: unknown, path: string): FieldError[] => {
  if (typeof share === 'string') return misnamed(share, path, percentage);
  return typeof share === 'number' && share < 0
    ? [invalid(path, share, 'must be greater than or equal to 0')]
    : [];
};
