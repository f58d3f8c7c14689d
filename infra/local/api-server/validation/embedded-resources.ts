import { type FieldError, invalid, required } from '../errors/field-error.ts';
import { own } from '../json/own.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { commonMetadataErrors } from '../objects/metadata.ts';
import { dnsLabel, type NameRule, pathSegment } from '../objects/names.ts';
import type { Schema } from '../schema/schema.ts';

/** Validates the type and name of resources embedded in a custom resource. */
export function checkEmbeddedResources(value: unknown, schema: Schema, path: string): FieldError[] {
  const { properties = {}, additionalProperties, items } = schema;
  if (Array.isArray(value)) {
    if (items === undefined) return [];
    return value.flatMap((item, index) => checkEmbeddedResources(item, items, `${path}[${index}]`));
  }
  if (!isObject(value)) return [];
  const isResource = schema['x-kubernetes-embedded-resource'] === true;
  const wrong = isResource ? checkResource(value, path) : [];
  const below = Object.entries(value).flatMap(([name, field]) => {
    const property = own(properties, name);
    if (property !== undefined) return checkEmbeddedResources(field, property, child(path, name));
    if (typeof additionalProperties !== 'object') return [];
    return checkEmbeddedResources(field, additionalProperties, `${path}[${name}]`);
  });
  return [...wrong, ...below];
}

function child(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function checkResource({ apiVersion, kind, metadata }: JsonObject, path: string): FieldError[] {
  return [
    ...checkText(apiVersion, child(path, 'apiVersion'), apiVersionProblem),
    ...checkText(kind, child(path, 'kind'), kindProblem),
    ...(metadata === undefined ? [] : checkMetadata(metadata, child(path, 'metadata'))),
  ];
}

function checkText(
  value: unknown,
  field: string,
  problem: (text: string) => string | undefined,
): FieldError[] {
  if (value === undefined) return [required(field)];
  if (typeof value !== 'string') return [invalid(field, value, 'must be a string')];
  const detail = value === '' ? 'must not be empty' : problem(value);
  return detail === undefined ? [] : [invalid(field, value, detail)];
}

function apiVersionProblem(text: string): string | undefined {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : undefined;
}

const kindRule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function kindProblem(text: string): string | undefined {
  if (/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text.toLowerCase())) return undefined;
  return `may have mixed case, but should otherwise match: ${kindRule}`;
}

function checkMetadata(metadata: unknown, field: string): FieldError[] {
  if (!isObject(metadata)) return [invalid(field, metadata, 'must be an object')];
  return [
    ...checkName(metadata.generateName, `${field}.generateName`, pathPart),
    ...checkName(metadata.name, `${field}.name`, pathSegment),
    ...checkName(metadata.namespace, `${field}.namespace`, dnsLabel),
    ...commonMetadataErrors(metadata, field),
  ];
}

/** Validates the prefix of a generated name, with a letter in place of the generated part. */
const pathPart: NameRule = (beginning) => pathSegment(`${beginning}x`);

function checkName(name: unknown, field: string, rule: NameRule): FieldError[] {
  if (name === undefined || name === '') return [];
  if (typeof name !== 'string') return [invalid(field, name, 'must be a string')];
  return rule(name).map((why) => invalid(field, name, why));
}
