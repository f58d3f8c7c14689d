import {
  type FieldError,
  fieldOf,
  invalid,
  noField,
  tooLong,
  typeInvalid,
} from '../errors/field-error.ts';
import { type GoRegExp, goRegExp } from '../go/regexp.ts';
import { formatCheck } from '../schema/formats.ts';
import type { Schema } from '../schema/schema.ts';
import type { Checked } from './check-result.ts';
import { addErrors, type CheckResult } from './check-result.ts';

/** Returns the types that a schema allows; empty if it has none. */
function typesOf(schema: Schema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

/** Returns the format, if the server knows it for this type. */
function formatOf(schema: Schema): string {
  const { type = '', format = '' } = schema;
  if (format === '') return '';
  return isKnown(type, format) ? format : '';
}

function isKnown(type: string, format: string): boolean {
  switch (type) {
    case '':
    case 'string':
      return formatCheck(format) !== undefined;
    case 'integer':
      return format === 'int32' || format === 'int64';
    case 'number':
      return format === 'float' || format === 'double';
    default:
      return false;
  }
}

/** Checks the type; returns false if the server's type validator does not apply. */
export function checkType({ value, schema, path }: Checked, result: CheckResult): boolean {
  const isOneType = schema['x-kubernetes-int-or-string'] !== true;
  if (value !== null && isOneType && schema.type === typeName(value)) return true;
  const types = typesOf(schema);
  const format = formatOf(schema);
  if (types.length === 0 && format === '') return value === null;
  const wrong = wrongType(value, { types, format, nullable: schema.nullable === true });
  if (wrong === undefined) return true;
  const { expected, found } = wrong;
  const detail = `${path} in body must be of type ${expected}: ${JSON.stringify(found)}`;
  addErrors(result, [typeInvalid(fieldOf(path), found, detail)]);
  return false;
}

interface Expected {
  readonly types: readonly string[];
  readonly format: string;
  readonly nullable: boolean;
}

function wrongType(
  value: unknown,
  { types, format, nullable }: Expected,
): { expected: string; found: string } | undefined {
  const expected = types.join(',');
  if (value === null)
    return nullable || types.length === 0 ? undefined : { expected, found: 'null' };
  const found = typeName(value);
  const isNumeric = types.includes('number') || types.includes('integer');
  const isListed = types.includes(found) || (found === 'integer' && types.includes('number'));
  const isText = found === 'string' || found === 'array';
  if (isText && format !== '' && !isNumeric) return undefined;
  if (isListed) return undefined;
  if (isText || format === '') return { expected, found };
  const foundFormat = found === 'integer' ? 'int64' : found === 'number' ? 'float64' : '';
  return { expected: format, found: foundFormat };
}

function typeName(value: unknown): string {
  if (typeof value === 'number') return isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

const patterns = new WeakMap<Schema, GoRegExp>();

function patternOf(schema: Schema): GoRegExp | undefined {
  const known = patterns.get(schema);
  if (known !== undefined || schema.pattern === undefined) return known;
  const compiled = goRegExp(schema.pattern);
  if ('problem' in compiled) return undefined;
  patterns.set(schema, compiled.regExp);
  return compiled.regExp;
}

/** Checks length, pattern and format; reports at most one error for length and pattern. */
export function checkString(
  { schema, path, builtIn }: Checked,
  value: string,
  result: CheckResult,
): void {
  const { maxLength, minLength, pattern = '' } = schema;
  const isBounded = maxLength !== undefined || minLength !== undefined;
  const length = isBounded ? [...value].length : 0;
  if (maxLength !== undefined && length > maxLength) {
    addErrors(result, [tooLong(fieldOf(path), maxLength)]);
  } else if (minLength !== undefined && length < minLength) {
    const detail = `${path} in body should be at least ${minLength} chars long`;
    addErrors(result, [invalid(fieldOf(path), value, detail)]);
  } else if (pattern !== '' && patternOf(schema)?.test(value) !== true) {
    addErrors(result, [invalid(fieldOf(path), value, `${path} in body should match '${pattern}'`)]);
  }
  const { type = '', format = '' } = schema;
  if (format === '' || !['', 'string'].includes(type)) return;
  // Built-in kinds are decoded, so an empty text is valid for bytes.
  const isNoBytes = builtIn === true && format === 'byte' && value === '';
  if (!isNoBytes && formatCheck(format)?.(value) === false) {
    const detail = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    addErrors(result, [typeInvalid(fieldOf(path), value, detail)]);
  }
}

/** Checks the range of the format, multipleOf, minimum and maximum, in the server's order. */
export function checkNumber(checked: Checked, value: number, result: CheckResult): void {
  const { schema, path, builtIn } = checked;
  const { multipleOf, minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  if (builtIn && isBeyondBits(schema, value)) {
    const detail = `${path} in body must be of type ${schema.format}: ${value}`;
    addErrors(result, [typeInvalid(fieldOf(path), value, detail)]);
  }
  const report = (text: string): void =>
    addErrors(result, [invalid(fieldOf(path), value, `${path} in body should be ${text}`)]);
  // The server compares an integer with the integer part of a bound.
  const bound = (limit: number): number => (Number.isInteger(value) ? Math.trunc(limit) : limit);
  addErrors(result, rangeErrors(schema, value, path));
  if (multipleOf !== undefined) {
    const factor = bound(multipleOf);
    if (factor <= 0) {
      const detail = `factor MultipleOf declared for ${path} must be positive: ${factor}`;
      addErrors(result, [invalid(fieldOf(path), factor, detail)]);
    } else if (!isMultiple(value, factor)) report(`a multiple of ${factor}`);
  }
  if (minimum !== undefined) {
    const min = bound(minimum);
    if (exclusiveMinimum === true ? value <= min : value < min) {
      report(`greater than ${exclusiveMinimum === true ? '' : 'or equal to '}${min}`);
    }
  }
  if (maximum !== undefined) {
    const max = bound(maximum);
    if (exclusiveMaximum === true ? value >= max : value > max) {
      report(`less than ${exclusiveMaximum === true ? '' : 'or equal to '}${max}`);
    }
  }
}

/** The server reads larger integers as floats. Accepts 2^63, to which JSON.parse rounds the largest integer. */
const isInteger = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= 2 ** 63;

function isMultiple(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return Number.isInteger(quotient);
}

/** Reports whether an integer exceeds the 32 or 64 bits of its Go type. */
function isBeyondBits({ format = '' }: Schema, value: number): boolean {
  if (!Number.isInteger(value)) return false;
  if (format === 'int64') return value < -(2 ** 63) || value >= 2 ** 63;
  return (format === 'int32' || format === 'int-or-string') && value !== (value | 0);
}

function rangeErrors({ type, format = '' }: Schema, value: number, path: string): FieldError[] {
  if (type !== 'integer') return [];
  const isInt32 = format === 'int32';
  if (isInteger(value) && (!isInt32 || value === (value | 0))) return [];
  const kind = isInt32 || format === 'int64' ? `with format ${format}` : '(default format)';
  return [invalid(noField, '', `Checked value must be of type integer ${kind} in ${path}`)];
}
