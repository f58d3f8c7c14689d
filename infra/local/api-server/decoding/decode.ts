import { badPatch, badRequest, invalidObject } from '../errors/api-errors.ts';
import { DecodeError } from '../errors/decode-error.ts';
import { invalid } from '../errors/field-error.ts';
import type { ApiError } from '../errors/status.ts';
import { readWithHalves } from '../go/written-numbers.ts';
import { duplicateFields } from '../json/duplicate-fields.ts';
import { isObject, type JsonObject, textAt } from '../json/value.ts';
import { dropEmpty } from '../objects/metadata.ts';
import type { KubeObject } from '../objects/object.ts';
import { parseObjectBody, readYamlBody } from '../requests/body.ts';
import type { ParsedRequest } from '../requests/request-info.ts';
import type { Writer } from '../requests/write-options.ts';
import { groupVersionOf, type Served } from '../resources/resource.ts';
import { undecodable } from '../resources/target.ts';
import { applyDefaults } from '../schema/default.ts';
import { metadataProblem } from '../schema/metadata-form.ts';
import { prune } from '../schema/prune.ts';
import { canonicaliseQuantities } from '../schema/quantities.ts';
import { validate } from '../validation/validate.ts';

/** Reads the body of a create or update: checks its type, prunes it, fills in defaults. */
export function decode(
  served: Served,
  { body, contentType }: Pick<ParsedRequest, 'body' | 'contentType'>,
  writer: Writer,
): KubeObject {
  const { kind } = served.resource;
  const isYaml = contentType === 'application/yaml';
  const { value: parsed, duplicates } = isYaml
    ? readYamlBody(body, kind)
    : { value: parseObjectBody(body, contentType, kind), duplicates: [] };
  // The body of a built-in kind may omit apiVersion and kind.
  const object = asObject(served, served.resource.custom ? parsed : (parsed ?? {}), body);
  const { value, unknown } = prune(served.version.schema, object);
  const problems = [
    ...strictly(writer, duplicates),
    ...unknown.map((field) => `unknown field ${JSON.stringify(field)}`),
    ...(writer.fieldValidation === 'Ignore' || isYaml
      ? []
      : duplicateFields(body, parsed).map((field) => `duplicate field ${JSON.stringify(field)}`)),
  ];
  if (problems.length > 0) report(problems, writer, (why) => undecodable(served, why));
  const refuse = (why: string): ApiError => undecodable(served, why);
  const halves = isYaml ? undefined : readWithHalves(body);
  if (halves !== undefined) assertTyped(served, prune(served.version.schema, halves).value, refuse);
  assertTyped(served, value, refuse);
  return filledIn(served, value as KubeObject, refuse);
}

/** Decodes a patched object; an object that cannot be decoded is a 422. */
export function decodePatched(
  served: Served,
  patched: KubeObject,
  { writer, problems }: { readonly writer: Writer; readonly problems: readonly string[] },
): KubeObject {
  const refuse = (why: string): ApiError => badPatch(patched, why);
  const { value, unknown } = prune(served.version.schema, patched);
  const all = [...problems, ...unknown.map((field) => `unknown field ${JSON.stringify(field)}`)];
  if (all.length > 0) report(all, writer, refuse);
  assertTyped(served, value, refuse);
  return filledIn(served, value as KubeObject, refuse);
}

function isWrongBytes(message: string): boolean {
  return /must be of type byte: (?!"(integer|number|boolean|object|array)"$)/.test(message);
}

/** Refuses a patch that leaves metadata that cannot be decoded. */
export function assertMetadataForm(patched: KubeObject): void {
  const problem = isObject(patched) ? metadataProblem(patched.metadata) : undefined;
  if (problem !== undefined) throw badPatch(patched, problem);
}

/** Refuses a value whose type differs from its field's: such a built-in object cannot be decoded. */
export function assertTyped(
  served: Served,
  value: unknown,
  refuse: (why: string) => ApiError,
): void {
  const wrong = wronglyTyped(served, value);
  if (wrong) throw refuse(`${wrong.field}: ${wrong.message}`);
}

/** Returns the first problem of a value whose type differs from its field's, in a built-in object. */
export function wronglyTyped({ resource, version }: Served, value: unknown) {
  if (resource.custom) return undefined;
  return validate(version.schema, value).find(
    // Excludes fields of type bytes, which each kind decodes and validates itself.
    ({ reason, message }) => reason === 'FieldValueTypeInvalid' && !isWrongBytes(message),
  );
}

/** Fills in the defaults of the kind and brings quantities to their canonical form. */
export function fillIn({ resource, version }: Served, object: KubeObject): KubeObject {
  if (resource.custom) {
    const filled = applyDefaults(version.schema, object) as KubeObject;
    const metadata = { ...filled.metadata };
    dropEmpty(metadata);
    return { ...filled, metadata };
  }
  const canonical = canonicaliseQuantities(version.schema, object) as KubeObject;
  resource.strategy.defaults?.(canonical);
  return canonical;
}

function filledIn(
  served: Served,
  object: KubeObject,
  refuse: (why: string) => ApiError,
): KubeObject {
  try {
    return fillIn(served, object);
  } catch (error) {
    throw error instanceof DecodeError ? refuse(error.message) : error;
  }
}

/** Reports the duplicate fields of a YAML body: as warnings, or as one error. */
function strictly(writer: Writer, duplicates: readonly string[]): readonly string[] {
  if (duplicates.length === 0 || writer.fieldValidation !== 'Strict') return duplicates;
  return [duplicateKeys(duplicates)];
}

/** The error of strict decoding from YAML. */
export function duplicateKeys(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((one) => `  ${one}`).join('\n')}`;
}

function report(
  problems: readonly string[],
  writer: Writer,
  refuse: (why: string) => ApiError,
): void {
  if (writer.fieldValidation === 'Strict') {
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  }
  if (writer.fieldValidation === 'Warn') for (const problem of problems) writer.warn(problem);
}

function asObject(served: Served, body: unknown, text: string): KubeObject {
  if (!isObject(body)) {
    const type = Array.isArray(body) ? 'array' : typeof body;
    throw undecodable(
      served,
      `json: cannot unmarshal ${type} into Go value of type ${served.resource.kind}`,
    );
  }
  for (const field of ['apiVersion', 'kind']) {
    const text = body[field];
    if (served.resource.custom || text === undefined || text === null) continue;
    if (typeof text === 'string') continue;
    throw undecodable(
      served,
      `json: cannot unmarshal ${typeof text} into Go struct field .${field}`,
    );
  }
  const given = served.resource.custom ? customType(served, body, text) : builtInType(served, body);
  const problem = metadataProblem(body.metadata);
  if (problem !== undefined) throw undecodable(served, problem);
  return { ...body, ...given, metadata: { ...(body.metadata as KubeObject['metadata']) } };
}

/** Only built-in objects may omit apiVersion and kind. */
function builtInType(served: Served, body: JsonObject): { apiVersion: string; kind: string } {
  const { group, kind } = served.resource;
  const apiVersion = groupVersionOf(served);
  const given = {
    apiVersion: textAt(body, 'apiVersion') || apiVersion,
    kind: textAt(body, 'kind') || kind,
  };
  const refuse = (why: string): ApiError =>
    badRequest(
      `${given.kind} in version ${JSON.stringify(versionOf(given.apiVersion))} cannot be handled as a ${kind}: ${why}`,
    );
  if (given.apiVersion !== apiVersion && given.kind === kind) {
    throw refuse(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(given.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (given.kind !== kind) {
    const internal = group === '' ? 'core' : (group.split('.')[0] ?? '');
    throw refuse(
      `converting (${versionOf(given.apiVersion)}.${given.kind}) to (${internal}.${kind}): unknown conversion`,
    );
  }
  return given;
}

function versionOf(apiVersion: string): string {
  return apiVersion.split('/').at(-1) ?? '';
}

/** Returns the beginning of a body, as decoding errors quote it. */
function summary(text: string): string {
  return text.length > 30 ? `${text.slice(0, 30)} ...` : text;
}

function customType(
  served: Served,
  body: JsonObject,
  text: string,
): { apiVersion: string; kind: string } {
  const { kind, group } = served.resource;
  const apiVersion = groupVersionOf(served);
  const given = { apiVersion: textAt(body, 'apiVersion'), kind: textAt(body, 'kind') };
  if (given.kind === '') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): Object 'Kind' is missing in '${text}' (${summary(text)})`,
    );
  }
  if (given.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (given.kind !== kind) {
    const name = isObject(body.metadata) ? textAt(body.metadata, 'name') : '';
    throw invalidObject({ group, kind: given.kind, name }, [
      invalid('kind', given.kind, `must be ${kind}`),
    ]);
  }
  return given;
}
