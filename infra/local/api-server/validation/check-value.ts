import { fieldOf, invalid, notSupported, required, tooMany } from '../errors/field-error.ts';
import { own } from '../json/own.ts';
import { isObject, type JsonObject, jsonEqual } from '../json/value.ts';
import { quantityName, resolveRef } from '../schema/schema.ts';
import { checkAlternatives, hasAlternatives } from './check-alternatives.ts';
import {
  addErrors,
  addResult,
  type Checked,
  type CheckResult,
  emptyResult,
} from './check-result.ts';
import { checkNumber, checkString, checkType } from './check-scalar.ts';
import { childOf, isValueUnchanged } from './correlation.ts';

/**
 * Checks a value as the server's OpenAPI validator does, with the same messages.
 *
 * Guarantees: values that an update leaves unchanged are not reported.
 */
export function checkValue(checked: Checked): CheckResult {
  const result = emptyResult();
  addChecks(checked, result);
  return result;
}

function addChecks(checked: Checked, result: CheckResult): void {
  const { value, definitions, old, builtIn } = checked;
  const schema = resolveRef(checked.schema, definitions);
  // Decoding a built-in object treats null as absent.
  if (builtIn && (value === null || schema === own(definitions, quantityName))) return;
  const { length } = result.errors;
  checkResolved(schema === checked.schema ? checked : { ...checked, schema }, result);
  const isOld = result.errors.length > length && old !== undefined && isValueUnchanged(old);
  if (isOld) result.errors.length = length;
}

function checkResolved(checked: Checked, result: CheckResult): void {
  const { value } = checked;
  if (checkType(checked, result)) result.matches += 1;
  if (value === null) {
    checkEnum(checked, result);
    return;
  }
  if (hasAlternatives(checked.schema)) addResult(result, checkAlternatives(checked, checkValue));
  else result.matches += 1;
  if (typeof value === 'string') checkString(checked, value, result);
  if (typeof value === 'number') checkNumber(checked, value, result);
  if (Array.isArray(value)) checkItems(checked, value, result);
  checkEnum(checked, result);
  if (isObject(value)) checkFields(checked, value, result);
  // One result for each validator that applies: type, alternatives, common keywords, and those of the value's
  // type.
  result.matches += 5;
}

function checkEnum({ value, schema, path }: Checked, result: CheckResult): void {
  const { enum: supported = [] } = schema;
  if (supported.length === 0 || supported.some((one) => jsonEqual(one, value))) return;
  addErrors(result, [notSupported(fieldOf(path), value, supported)]);
}

function checkItems(checked: Checked, value: readonly unknown[], result: CheckResult): void {
  const { schema, path, old } = checked;
  const { items, minItems, maxItems, uniqueItems } = schema;
  if (items !== undefined) {
    for (const [index, item] of value.entries()) {
      const place = { path: `${path}[${index}]`, old: childOf(old, index) };
      addChecks({ ...checked, ...place, value: item, schema: items }, result);
    }
  }
  const size = value.length;
  if (minItems !== undefined && size < minItems) {
    const detail = `${path} in body should have at least ${minItems} items`;
    addErrors(result, [invalid(fieldOf(path), size, detail)]);
  }
  if (maxItems !== undefined && size > maxItems)
    addErrors(result, [tooMany(fieldOf(path), size, maxItems)]);
  if (uniqueItems === true && hasDuplicates(value)) {
    addErrors(result, [invalid(fieldOf(path), '', `${path} in body shouldn't contain duplicates`)]);
  }
  result.matches += 1;
}

function hasDuplicates(items: readonly unknown[]): boolean {
  return items.some((item, index) => items.slice(0, index).some((one) => jsonEqual(one, item)));
}

function checkFields(checked: Checked, value: JsonObject, result: CheckResult): void {
  const { schema, path } = checked;
  const { properties = {}, additionalProperties } = schema;
  checkSize(checked, value, result);
  if (typeof additionalProperties === 'object') {
    for (const [name, field] of Object.entries(value)) {
      if (Object.hasOwn(properties, name)) continue;
      const at = fieldAt(checked, name, { value: field, schema: additionalProperties });
      addChecks({ ...at, path: `${path}.${name}` }, result);
    }
  }
  // Loops without Object.entries: a struct of the API has dozens of fields, few of them set.
  for (const name in properties) {
    const property = properties[name];
    if (property === undefined || !Object.hasOwn(value, name)) continue;
    addChecks(fieldAt(checked, name, { value: value[name], schema: property }), result);
  }
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(value, name) || hasZeroValue(checked, name)) continue;
    addErrors(result, [required(fieldOf(`${path}.${name}`))]);
  }
}

function checkSize({ schema, path }: Checked, value: JsonObject, result: CheckResult): void {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return;
  const size = Object.keys(value).length;
  if (minProperties !== undefined && size < minProperties) {
    const detail = `${path} in body should have at least ${minProperties} properties`;
    addErrors(result, [invalid(fieldOf(path), size, detail)]);
  }
  if (maxProperties !== undefined && size > maxProperties) {
    addErrors(result, [tooMany(fieldOf(path), size, maxProperties)]);
  }
}

/** Avoids a spread, because it is called for every field of every object. */
function fieldAt(
  { path, definitions, old, builtIn }: Checked,
  name: string,
  { value, schema }: Pick<Checked, 'value' | 'schema'>,
): Checked {
  // Always checks the type of the whole object, even if an update leaves it unchanged.
  const isType = path === '' && (name === 'apiVersion' || name === 'kind');
  return {
    value,
    schema,
    path: path === '' ? name : `${path}.${name}`,
    definitions,
    old: isType ? undefined : childOf(old, name),
    builtIn,
  };
}

/** Reports whether Go decodes an absent field to a zero value, which is then validated. */
function hasZeroValue({ builtIn, path, schema }: Checked, name: string): boolean {
  if (!builtIn) return false;
  const zero = own(schema.properties, name)?.default;
  return path === 'status' || path.startsWith('status.') || (zero !== undefined && zero !== '');
}
