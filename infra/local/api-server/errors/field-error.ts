import { goJson, goQuote } from '../go/print.ts';

/** One invalid field, as in the causes of a 422; the message is printed after the field. */
export interface FieldError {
  readonly reason: Reason;
  readonly field: string;
  readonly message: string;
}

export type Reason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueNotFound'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany';

/** Stands for the field of an error that the server cannot locate. */
export const noField = '<nil>';

/** The field at a path. */
export function fieldOf(path: string): string {
  return path.replace(/^\./, '') || noField;
}

/** Stands for a value that the message must not show. */
export const omitted: unique symbol = Symbol('omitted');

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: withDetail('Required value', detail) };
}

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: about('Invalid value', value, detail) };
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { ...invalid(field, value, detail), reason: 'FieldValueTypeInvalid' };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: about('Duplicate value', value, '') };
}

export function notFound(field: string, value: unknown, detail = ''): FieldError {
  return { reason: 'FieldValueNotFound', field, message: about('Not found', value, detail) };
}

export function forbidden(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: withDetail('Forbidden', detail) };
}

export function notSupported(
  field: string,
  value: unknown,
  supported: readonly unknown[],
): FieldError {
  const values = supported.map((one) =>
    JSON.stringify(typeof one === 'string' ? one : goJson(one)),
  );
  const detail = values.length === 0 ? '' : `supported values: ${values.join(', ')}`;
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: about('Unsupported value', value, detail),
  };
}

export function tooLong(field: string, max: number): FieldError {
  const detail = `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`;
  return { reason: 'FieldValueTooLong', field, message: withDetail('Too long', detail) };
}

export function tooMany(field: string, count: number, max: number): FieldError {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { reason: 'FieldValueTooMany', field, message: about('Too many', count, detail) };
}

function about(what: string, value: unknown, detail: string): string {
  if (value === omitted) return withDetail(what, detail);
  const shown = typeof value === 'string' ? goQuote(value) : (goJson(value) ?? '""');
  return withDetail(`${what}: ${shown}`, detail);
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`;
}
