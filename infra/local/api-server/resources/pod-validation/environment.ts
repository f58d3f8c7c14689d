import type { FieldError } from '../../errors/errors.ts';
import { configKey, dnsSubdomain, environmentName } from '../../objects/names.ts';
import { isMap, type JsonMap, mapAt, mapsAt, textAt } from '../../objects/object.ts';
import { invalid } from '../../schema/field-error.ts';
import { misnamed, needed } from '../bounds.ts';
import { CONTAINER_FIELDS, fieldErrors, resourceFieldErrors } from './own-fields.ts';

/** What is wrong with the variables of a container. */
export const environmentErrors = (container: JsonMap, path: string): FieldError[] => [
  ...mapsAt(container, 'env').flatMap((variable, index) =>
    variableErrors(variable, `${path}.env[${index}]`),
  ),
  ...mapsAt(container, 'envFrom').flatMap((source, index) =>
    sourceErrors(source, `${path}.envFrom`, index),
  ),
];

const variableErrors = (variable: JsonMap, path: string): FieldError[] => [
  ...needed(textAt(variable, 'name'), `${path}.name`, environmentName),
  ...(isMap(variable.valueFrom)
    ? valueErrors(variable.valueFrom, textAt(variable, 'value'), `${path}.valueFrom`)
    : []),
];

const SOURCES: Readonly<Record<string, (source: JsonMap, path: string) => FieldError[]>> = {
  fieldRef: (source, path) => fieldErrors(source, path, CONTAINER_FIELDS),
  resourceFieldRef: (source, path) => resourceFieldErrors(source, path, false),
  configMapKeyRef: (source, path) => keyErrors(source, path),
  secretKeyRef: (source, path) => keyErrors(source, path),
  fileKeyRef: () => [],
};

const valueErrors = (from: JsonMap, value: string, path: string): FieldError[] => {
  const given = Object.entries(SOURCES).filter(([source]) => isMap(from[source]));
  const found = given.flatMap(([source, find]) => find(mapAt(from, source), `${path}.${source}`));
  const wrong = (why: string): FieldError[] => [...found, invalid(path, '', why)];
  if (given.length === 0) {
    return wrong(
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    );
  }
  if (value !== '') return wrong('may not be specified when `value` is not empty');
  if (given.length > 1) return wrong('may not have more than one field specified at a time');
  return found;
};

const keyErrors = (reference: JsonMap, path: string): FieldError[] => [
  ...misnamed(textAt(reference, 'name'), `${path}.name`, dnsSubdomain),
  ...needed(textAt(reference, 'key'), `${path}.key`, configKey),
];

const sourceErrors = (source: JsonMap, path: string, index: number): FieldError[] => {
  const field = `${path}[${index}]`;
  const prefix = textAt(source, 'prefix');
  const given = ['configMapRef', 'secretRef'].filter((name) => isMap(source[name]));
  const found = [
    ...(prefix === '' ? [] : misnamed(prefix, `${field}.prefix`, environmentName)),
    ...given.flatMap((name) =>
      needed(textAt(mapAt(source, name), 'name'), `${field}.${name}.name`, dnsSubdomain),
    ),
  ];
  if (given.length === 1) return found;
  const why =
    given.length === 0
      ? 'must specify one of: `configMapRef` or `secretRef`'
      : 'may not have more than one field specified at a time';
  return [...found, invalid(path, '', why)];
};
