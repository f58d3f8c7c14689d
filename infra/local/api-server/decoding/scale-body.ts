import { badRequest } from '../errors/api-errors.ts';
import type { ApiError } from '../errors/status.ts';
import { typeProblem } from '../go/print.ts';
import { own } from '../json/own.ts';
import { isObject, type JsonObject, objectAt, textAt } from '../json/value.ts';
import type { Writer } from '../requests/write-options.ts';
import type { Registry } from '../resources/registry.ts';
import { metadataProblem } from '../schema/metadata-form.ts';
import { objectMeta } from '../schema/object-meta.ts';

interface Reading {
  readonly registry: Registry;
  readonly writer: Writer;
  /** The answer to a body that cannot be decoded as a Scale. */
  readonly refuse: (why: string) => ApiError;
}

/** Throws unless a value can be decoded as a Scale; its apiVersion and kind may be missing. */
export function assertScale(scale: JsonObject, { registry, writer, refuse }: Reading): void {
  const problem =
    kindProblem(scale, registry) ?? metadataProblem(scale.metadata) ?? fieldProblem(scale);
  if (problem !== undefined) throw refuse(problem);
  const unknown = unknownFields(scale).map((field) => `unknown field ${JSON.stringify(field)}`);
  if (unknown.length === 0 || writer.fieldValidation === 'Ignore') return;
  if (writer.fieldValidation === 'Strict') {
    throw refuse(`strict decoding error: ${unknown.join(', ')}`);
  }
  for (const text of unknown) writer.warn(text);
}

const scaleVersion = 'autoscaling/v1';

function typeOf(scale: JsonObject): { apiVersion: string; kind: string } {
  return {
    apiVersion: textAt(scale, 'apiVersion') || scaleVersion,
    kind: textAt(scale, 'kind') || 'Scale',
  };
}

function versionOf(apiVersion: string): string {
  return apiVersion.split('/').at(-1) ?? '';
}

/** The answer to a PUT of a body that is not a Scale. */
export function noScale(scale: JsonObject, why: string): ApiError {
  const { apiVersion, kind } = typeOf(scale);
  return badRequest(
    `${kind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a Scale: ${why}`,
  );
}

function kindProblem(scale: JsonObject, registry: Registry): string | undefined {
  const { apiVersion, kind } = typeOf(scale);
  if (kind === 'Scale' && apiVersion === scaleVersion) return undefined;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return registry.findKind(group, version, kind)
    ? `converting (${version}.${kind}) to (autoscaling.Scale): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}

function fieldProblem(scale: JsonObject): string | undefined {
  for (const [field, type] of [
    ['spec', 'ScaleSpec'],
    ['status', 'ScaleStatus'],
  ] as const) {
    const part = scale[field] ?? null;
    if (part === null) continue;
    if (!isObject(part)) return typeProblem(part, `struct field Scale.${field} of type v1.${type}`);
    const { replicas } = part;
    if (replicas === undefined || replicas === null || isInt32(replicas)) continue;
    const into = `struct field ${type}.${field}.replicas of type int32`;
    return typeof replicas === 'number'
      ? `json: cannot unmarshal number ${replicas} into Go ${into}`
      : typeProblem(replicas, into);
  }
  return undefined;
}

function isInt32(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value + 0.5) < 2 ** 31;
}

const scaleFields = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

function unknownFields(scale: JsonObject): string[] {
  return [
    ...Object.keys(scale).filter((field) => !scaleFields.includes(field)),
    ...Object.keys(objectAt(scale, 'metadata'))
      .filter((field) => own(objectMeta.properties, field) === undefined)
      .map((field) => `metadata.${field}`),
    ...Object.keys(objectAt(scale, 'spec'))
      .filter((field) => field !== 'replicas')
      .map((field) => `spec.${field}`),
  ];
}
