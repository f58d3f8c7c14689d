import type { FieldError } from '../../errors/field-error.ts';
import { duplicate, invalid, required, tooMany } from '../../errors/field-error.ts';
import { own } from '../../json/own.ts';
import { compileJsonPath } from '../../printing/json-path.ts';
import type { Schema } from '../../schema/schema.ts';
import type { DefinitionVersion, PrinterColumn } from './definition.ts';

/** Requires a path below one of these fields. */
function replicasPathErrors(path: string, field: string, below: string): FieldError[] {
  if (path === '') return [required(field)];
  return pathErrors(path, field, [below], `should be a json path under .${below}`);
}

function pathErrors(
  path: string,
  field: string,
  roots: readonly string[],
  why: string,
): FieldError[] {
  const simple = simplePathErrors(path, field);
  if (simple.length > 0) return simple;
  return roots.some((root) => path.startsWith(`.${root}.`)) ? [] : [invalid(field, path, why)];
}

function simplePathErrors(path: string, field: string): FieldError[] {
  return path.startsWith('.')
    ? []
    : [invalid(field, path, 'must be a simple json path starting with .')];
}

/** Validates the paths of the subresource scale. */
export function scalePathErrors(
  subresources: DefinitionVersion['subresources'],
  place: string,
): FieldError[] {
  if (!subresources?.scale) return [];
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath } = subresources.scale;
  const field = `${place}.scale`;
  const either = 'should be a json path under either .spec or .status';
  return [
    ...replicasPathErrors(specReplicasPath, `${field}.specReplicasPath`, 'spec'),
    ...replicasPathErrors(statusReplicasPath, `${field}.statusReplicasPath`, 'status'),
    ...(labelSelectorPath
      ? pathErrors(labelSelectorPath, `${field}.labelSelectorPath`, ['spec', 'status'], either)
      : []),
  ];
}

const knownTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const knownFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Validates the printer columns. */
export function columnErrors(columns: readonly PrinterColumn[], place: string): FieldError[] {
  return columns.flatMap(({ name, type, format, jsonPath = '' }, index) => {
    const path = `${place}[${index}]`;
    const types = `must be one of ${knownTypes.join()}`;
    return [
      ...(name ? [] : [required(`${path}.name`)]),
      ...(type ? [] : [required(`${path}.type`, types)]),
      ...(type && !knownTypes.includes(type) ? [invalid(`${path}.type`, type, types)] : []),
      ...(format && !knownFormats.includes(format)
        ? [invalid(`${path}.format`, format, `must be one of ${knownFormats.join()}`)]
        : []),
      ...(jsonPath === ''
        ? [required(`${path}.JSONPath`)]
        : columnPathErrors(jsonPath, `${path}.JSONPath`)),
    ];
  });
}

/** The real server accepts paths that it cannot print; this server refuses them. */
function columnPathErrors(path: string, field: string): FieldError[] {
  const simple = simplePathErrors(path, field);
  if (simple.length > 0) return simple;
  try {
    compileJsonPath(path);
    return [];
  } catch (error) {
    return [invalid(field, path, error instanceof Error ? error.message : String(error))];
  }
}

const maxFields = 8;
const selectable =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

/** Validates the selectable fields. */
export function selectableErrors(
  { selectableFields = [], schema }: DefinitionVersion,
  place: string,
): FieldError[] {
  const paths = selectableFields.map(({ jsonPath = '' }) => jsonPath);
  const errors = paths.flatMap((path, index) => {
    const field = `${place}[${index}].jsonPath`;
    if (path === '') return [required(field)];
    const found = schemaAt(schema?.openAPIV3Schema, path);
    if (typeof found === 'string') return [invalid(field, path, `is an invalid path: ${found}`)];
    const isSingle = ['string', 'boolean', 'integer'].includes(found.type ?? '');
    return [
      ...(isSingle ? [] : [invalid(field, path, selectable)]),
      ...(paths.indexOf(path) < index ? [duplicate(field, path)] : []),
    ];
  });
  const count = new Set(paths).size;
  return count > maxFields ? [...errors, tooMany(place, count, maxFields)] : errors;
}

/** Returns the schema of a field by its path; the error if there is none. */
function schemaAt(root: Schema | undefined, path: string): Schema | string {
  if (!/^[.[]/.test(path)) return `expected [ or . but got: ${path.split(/[.[]/)[0]}`;
  if (path.includes('[')) return 'array notation is not allowed';
  let schema = root;
  for (const name of path.slice(1).split('.')) schema = own(schema?.properties, name);
  return schema ?? 'does not refer to a valid field';
}

const maxWarningLength = 256;

/** Validates the deprecation warning of a version. */
export function deprecationErrors(
  { deprecated, deprecationWarning: warning }: DefinitionVersion,
  field: string,
): FieldError[] {
  if (warning === undefined) return [];
  const wrong = (why: string): FieldError => invalid(field, warning, why);
  if (!deprecated) return [wrong('can only be set for deprecated versions')];
  const unprintable = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  const at = Buffer.byteLength(warning.slice(0, Math.max(0, unprintable)));
  return [
    ...(Buffer.byteLength(warning) > maxWarningLength
      ? [wrong(`must be <= ${maxWarningLength} characters long`)]
      : []),
    ...(warning === '' ? [wrong('must not be an empty string')] : []),
    ...(unprintable < 0
      ? []
      : [
          wrong(
            `must only contain printable UTF-8 characters; non-printable character found at index ${at}`,
          ),
        ]),
  ];
}
