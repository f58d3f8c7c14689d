import { type FieldError, invalid, notSupported, required } from '../errors/field-error.ts';
import type { JsonObject } from '../json/value.ts';
import { type NameRule, percentage, portName } from './names.ts';

/** Finds negative fields of an object. */
export function negative(
  object: JsonObject,
  path: string,
  fields: readonly string[],
): FieldError[] {
  return fields.flatMap((field) => {
    const value = object[field];
    if (typeof value !== 'number' || value >= 0) return [];
    return [invalid(`${path}.${field}`, value, 'must be greater than or equal to 0')];
  });
}

/** Finds counts in a status that exceed the total that they are part of. */
export function exceeding(
  status: JsonObject,
  whole: string,
  parts: readonly string[],
): FieldError[] {
  const most = Number(status[whole] ?? 0);
  const why = `cannot be greater than ${whole === 'replicas' ? 'status.replicas' : whole}`;
  return parts
    .filter((part) => Number(status[part] ?? 0) > most)
    .map((part) => invalid(`status.${part}`, status[part] ?? 0, why));
}

/** Returns one error for each rule that a text breaks. */
export function misnamed(text: string, path: string, rule: NameRule): FieldError[] {
  return rule(text).map((why) => invalid(path, text, why));
}

/** Requires a text that keeps a rule. */
export function needed(text: string, path: string, rule: NameRule): FieldError[] {
  return text === '' ? [required(path)] : misnamed(text, path, rule);
}

/** Refuses a value that is not in `known`; an absent value is shown as an empty string. */
export function unlisted(value: unknown, path: string, known: readonly string[]): FieldError[] {
  return known.includes(String(value)) ? [] : [notSupported(path, value ?? '', known)];
}

/** Refuses a number below 1. */
export function notPositive(value: number, path: string): FieldError[] {
  return value > 0 ? [] : [invalid(path, value, 'must be greater than zero')];
}

export const portRange = 'must be between 1 and 65535, inclusive';

export function isPort(value: unknown): boolean {
  return typeof value === 'number' && value >= 1 && value <= 65535;
}

/** Validates a port of a container, by number or by name. */
export function portErrors(port: unknown, path: string): FieldError[] {
  if (typeof port === 'string') return misnamed(port, path, portName);
  return isPort(port ?? 0) ? [] : [invalid(path, port ?? 0, portRange)];
}

/** A number or a percentage. */
export function shareErrors(share: unknown, path: string): FieldError[] {
  if (typeof share === 'string') return misnamed(share, path, percentage);
  return typeof share === 'number' && share < 0
    ? [invalid(path, share, 'must be greater than or equal to 0')]
    : [];
}

/** Refuses a percentage of more than 100 %. */
export function wholeErrors(share: unknown, path: string): FieldError[] {
  const isTooMuch = typeof share === 'string' && amountOf(share) > 100;
  return isTooMuch ? [invalid(path, share, 'must not be greater than 100%')] : [];
}

/** Returns the number, or the number in a percentage; zero for anything else. */
export function amountOf(share: unknown): number {
  if (typeof share === 'string') {
    return percentage(share).length === 0 ? Number.parseInt(share, 10) : 0;
  }
  return typeof share === 'number' ? share : 0;
}
