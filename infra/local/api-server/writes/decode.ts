import { badRequest, invalidObject } from '../errors/errors.ts';
import type { ApiError } from '../errors/status.ts';
import { isDecodeError } from '../objects/decode-error.ts';
import { duplicateFields } from '../objects/duplicate-fields.ts';
import { jsonText } from '../objects/json-text.ts';
import { isMap, type JsonMap, type KubeObject, textAt } from '../objects/object.ts';
import { readWithHalves } from '../objects/written-numbers.ts';
import { parseObjectBody, readYamlBody } from '../requests/body.ts';
import type { Call } from '../requests/call.ts';
import { groupVersionOf, type Served } from '../resources/resource.ts';
import { applyDefaults } from '../schema/default.ts';
import { invalid } from '../schema/field-error.ts';
import { metadataProblem } from '../schema/metadata-form.ts';
import { prune } from '../schema/prune.ts';
import { canonicaliseQuantities } from '../schema/quantity.ts';
import { validate } from '../schema/validate.ts';
import { dropEmpty } from './metadata.ts';
import type { Writer } from './target.ts';

/** Reads the body of a create or update: checks its type, prunes it, fills in defaults. */
export const decode = ({ target, body, contentType }: Call, writer: Writer): KubeObject => {
  const { served } = target;
  const { kind } = served.resource;
  const isYaml = contentType === 'application/yaml';
  const { value: parsed, duplicates } = isYaml
    ? readYamlBody(body, kind)
    : { value: parseObjectBody(body, contentType, kind), duplicates: [] };
  // A built-in kind may be left out altogether.
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
};

/** What a patch made of an object, decoded; what cannot be read is a 422 there. */
export const decodePatched = (
  served: Served,
  patched: KubeObject,
  { writer, problems }: { readonly writer: Writer; readonly problems: readonly string[] },
): KubeObject => {
  const refuse = (why: string): ApiError => badPatch(patched, why);
  const { value, unknown } = prune(served.version.schema, patched);
  const all = [...problems, ...unknown.map((field) => `unknown field ${JSON.stringify(field)}`)];
  if (all.length > 0) report(all, writer, refuse);
  assertTyped(served, value, refuse);
  return filledIn(served, value as KubeObject, refuse);
};

const isWrongBytes = (message: string): boolean =>
  /must be of type byte: (?!"(integer|number|boolean|object|array)"$)/.test(message);

/** Metadata that a patch made unreadable is the patch's fault. */
export const assertMetadataForm = (patched: KubeObject): void => {
  const problem = isMap(patched) ? metadataProblem(patched.metadata) : undefined;
  if (problem !== undefined) throw badPatch(patched, problem);
};

/** A value of another type than its field keeps a built-in object from being decoded at all. */
export const assertTyped = (
  served: Served,
  value: unknown,
  refuse: (why: string) => ApiError,
): void => {
  if (served.resource.custom) return;
  const wrong = validate(served.version.schema, value).find(
    // Bytes are decoded, and judged, by the kind itself.
    ({ reason, message }) => reason === 'FieldValueTypeInvalid' && !isWrongBytes(message),
  );
  if (wrong) throw refuse(`${wrong.field}: ${wrong.message}`);
};

/** The answer to a body that cannot be read as its kind. */
export const undecodable = ({ resource, version }: Served, why: string): ApiError =>
  badRequest(
    `${resource.kind} in version ${JSON.stringify(version.name)} cannot be handled as a ${resource.kind}: ${why}`,
  );

/** The answer to a patch whose result cannot be read; it names no object. */
export const badPatch = (patched: unknown, why: string): ApiError =>
  invalidObject({ group: '', kind: '' }, [invalid('patch', jsonText(patched), why)]);

/** Fills in the defaults of the kind and brings quantities to their canonical form. */
export const fillIn = ({ resource, version }: Served, object: KubeObject): KubeObject => {
  if (resource.custom) {
    const filled = applyDefaults(version.schema, object) as unknown as KubeObject;
    const metadata = { ...filled.metadata };
    dropEmpty(metadata);
    return { ...filled, metadata };
  }
  const canonical = canonicaliseQuantities(version.schema, object) as KubeObject;
  resource.strategy.defaults?.(canonical);
  return canonical;
};

const filledIn = (
  served: Served,
  object: KubeObject,
  refuse: (why: string) => ApiError,
): KubeObject => {
  try {
    return fillIn(served, object);
  } catch (error) {
    throw isDecodeError(error) ? refuse(error.message) : error;
  }
};

/** What a YAML body says twice: warnings, one by one, or one error. */
const strictly = (writer: Writer, duplicates: readonly string[]): readonly string[] => {
  if (duplicates.length === 0 || writer.fieldValidation !== 'Strict') return duplicates;
  return [duplicateKeys(duplicates)];
};

/** The error of a strict reader of YAML. */
export const duplicateKeys = (duplicates: readonly string[]): string =>
  `yaml: unmarshal errors:\n${duplicates.map((one) => `  ${one}`).join('\n')}`;

const report = (
  problems: readonly string[],
  writer: Writer,
  refuse: (why: string) => ApiError,
): void => {
  if (writer.fieldValidation === 'Strict') {
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  }
  if (writer.fieldValidation === 'Warn') for (const problem of problems) writer.warn(problem);
};

const asObject = (served: Served, body: unknown, text: string): KubeObject => {
  if (!isMap(body)) {
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
};

/** Built-ins may leave their type out; custom resources may not. */
const builtInType = (served: Served, body: JsonMap): { apiVersion: string; kind: string } => {
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
};

const versionOf = (apiVersion: string): string => apiVersion.split('/').at(-1) ?? '';

/** The beginning of a body, as decoding errors quote it. */
const summary = (text: string): string => (text.length > 30 ? `${text.slice(0, 30)} ...` : text);

const customType = (
  served: Served,
  body: JsonMap,
  text: string,
): { apiVersion: string; kind: string } => {
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
    const name = isMap(body.metadata) ? textAt(body.metadata, 'name') : '';
    throw invalidObject({ group, kind: given.kind, name }, [
      invalid('kind', given.kind, `must be ${kind}`),
    ]);
  }
  return given;
};
