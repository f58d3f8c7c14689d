import { type FieldError, invalid } from '../../errors/field-error.ts';
import { jsonEqual } from '../../json/value.ts';
import { pruneUnknown } from '../../schema/prune.ts';
import type { Schema } from '../../schema/schema.ts';
import { checkRules } from '../../validation/cel-rules.ts';
import { checkValue } from '../../validation/check-value.ts';
import { checkEmbeddedResources } from '../../validation/embedded-resources.ts';

/** Finds default values that do not fit their schema. */
export function checkDefaults(schema: Schema, path: string): FieldError[] {
  const { properties = {}, items } = schema;
  return [
    ...(schema.default === undefined ? [] : checkDefault(schema, `${path}.default`)),
    ...(items === undefined ? [] : checkDefaults(items, `${path}.items`)),
    ...Object.entries(properties).flatMap(([name, property]) =>
      checkDefaults(property, `${path}.properties[${name}]`),
    ),
  ];
}

function checkDefault(schema: Schema, path: string): FieldError[] {
  const value = schema.default;
  const isPruned = jsonEqual(pruneUnknown(value, schema), value);
  const unknown = isPruned ? [] : [invalid(path, value, 'must not have unknown fields')];
  return [...unknown, ...(firstErrors(schema, path) ?? [])];
}

/** Returns the errors of the first check that finds any. */
function firstErrors(schema: Schema, path: string): FieldError[] | undefined {
  const value = schema.default;
  const place = { value, schema, path: '', definitions: {}, builtIn: false };
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const rules = { value, schema, correlation: undefined, isShapeless: false, isResource };
  const checks = [
    (): FieldError[] => checkEmbeddedResources(value, schema, path),
    (): FieldError[] => checkValue(place).errors.map((error) => below(path, error)),
    // As for an update that changes nothing, then as for a create.
    (): FieldError[] => checkRules({ ...rules, old: value }).map((error) => below(path, error)),
    (): FieldError[] => checkRules(rules).map((error) => below(path, error)),
  ];
  for (const check of checks) {
    const errors = check();
    if (errors.length > 0) return errors;
  }
  return undefined;
}

function below(path: string, error: FieldError): FieldError {
  return { ...error, field: error.field === '<nil>' ? path : `${path}.${error.field}` };
}
