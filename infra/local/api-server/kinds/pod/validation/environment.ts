import type { FieldError } from '../../../errors/field-error.ts';
import { invalid } from '../../../errors/field-error.ts';
import { isObject, type JsonObject, objectAt, objectsAt, textAt } from '../../../json/value.ts';
import { misnamed, needed } from '../../../objects/field-rules.ts';
import { configKey, dnsSubdomain, environmentName } from '../../../objects/names.ts';
import { containerFields, fieldErrors, resourceFieldErrors } from './own-fields.ts';

/** Validates the environment variables of a container. */
export function environmentErrors(container: JsonObject, path: string): FieldError[] {
  return [
    ...objectsAt(container, 'env').flatMap((variable, index) =>
      variableErrors(variable, `${path}.env[${index}]`),
    ),
    ...objectsAt(container, 'envFrom').flatMap((source, index) =>
      sourceErrors(source, `${path}.envFrom`, index),
    ),
  ];
}

function variableErrors(variable: JsonObject, path: string): FieldError[] {
  return [
    ...needed(textAt(variable, 'name'), `${path}.name`, environmentName),
    ...(isObject(variable.valueFrom)
      ? valueErrors(variable.valueFrom, textAt(variable, 'value'), `${path}.valueFrom`)
      : []),
  ];
}

const knownSources: Readonly<Record<string, (source: JsonObject, path: string) => FieldError[]>> = {
  fieldRef: (source, path) => fieldErrors(source, path, containerFields),
  resourceFieldRef: (source, path) => resourceFieldErrors(source, path, false),
  configMapKeyRef: (source, path) => keyErrors(source, path),
  secretKeyRef: (source, path) => keyErrors(source, path),
  fileKeyRef: () => [],
};

function valueErrors(from: JsonObject, value: string, path: string): FieldError[] {
  const given = Object.entries(knownSources).filter(([source]) => isObject(from[source]));
  const found = given.flatMap(([source, find]) =>
    find(objectAt(from, source), `${path}.${source}`),
  );
  const wrong = (why: string): FieldError[] => [...found, invalid(path, '', why)];
  if (given.length === 0) {
    return wrong(
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    );
  }
  if (value !== '') return wrong('may not be specified when `value` is not empty');
  if (given.length > 1) return wrong('may not have more than one field specified at a time');
  return found;
}

function keyErrors(reference: JsonObject, path: string): FieldError[] {
  return [
    ...misnamed(textAt(reference, 'name'), `${path}.name`, dnsSubdomain),
    ...needed(textAt(reference, 'key'), `${path}.key`, configKey),
  ];
}

function sourceErrors(source: JsonObject, path: string, index: number): FieldError[] {
  const field = `${path}[${index}]`;
  const prefix = textAt(source, 'prefix');
  const given = ['configMapRef', 'secretRef'].filter((name) => isObject(source[name]));
  const found = [
    ...(prefix === '' ? [] : misnamed(prefix, `${field}.prefix`, environmentName)),
    ...given.flatMap((name) =>
      needed(textAt(objectAt(source, name), 'name'), `${field}.${name}.name`, dnsSubdomain),
    ),
  ];
  if (given.length === 1) return found;
  const why =
    given.length === 0
      ? 'must specify one of: `configMapRef` or `secretRef`'
      : 'may not have more than one field specified at a time';
  return [...found, invalid(path, '', why)];
}
