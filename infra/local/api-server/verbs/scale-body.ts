import { badRequest } from '../errors/errors.ts';
import type { ApiError } from '../errors/status.ts';
import { typeProblem } from '../objects/go-json.ts';
import { isMap, type JsonMap, mapAt, textAt } from '../objects/object.ts';
import { own } from '../objects/own.ts';
import type { Registry } from '../resources/registry.ts';
import { metadataProblem } from '../schema/metadata-form.ts';
import { objectMeta } from '../schema/object-meta.ts';
import type { Writer } from '../writes/target.ts';

interface Reading {
  readonly registry: Registry;
  readonly writer: Writer;
  /** The answer to a scale that cannot be read as one. */
  readonly refuse: (why: string) => ApiError;
}

/** Throws unless a value can be read as a Scale; its type may be left out. */
export const assertScale = (scale: JsonMap, { registry, writer, refuse }: Reading): void => {
  const problem =
    kindProblem(scale, registry) ?? metadataProblem(scale.metadata) ?? fieldProblem(scale);
  if (problem !== undefined) throw refuse(problem);
  const unknown = unknownFields(scale).map((field) => `unknown field ${JSON.stringify(field)}`);
  if (unknown.length === 0 || writer.fieldValidation === 'Ignore') return;
  if (writer.fieldValidation === 'Strict') {
    throw refuse(`strict decoding error: ${unknown.join(', ')}`);
  }
  for (const text of unknown) writer.warn(text);
};

const VERSION = 'autoscaling/v1';

const typeOf = (scale: JsonMap): { apiVersion: string; kind: string } => ({
  apiVersion: textAt(scale, 'apiVersion') || VERSION,
  kind: textAt(scale, 'kind') || 'Scale',
});

const versionOf = (apiVersion: string): string => apiVersion.split('/').at(-1) ?? '';

/** The answer to a PUT of what is no Scale. */
export const noScale = (scale: JsonMap, why: string): ApiError => {
  const { apiVersion, kind } = typeOf(scale);
  return badRequest(
    `${kind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a Scale: ${why}`,
  );
};

const kindProblem = (scale: JsonMap, registry: Registry): string | undefined => {
  const { apiVersion, kind } = typeOf(scale);
  if (kind === 'Scale' && apiVersion === VERSION) return undefined;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return registry.findKind(group, version, kind)
    ? `converting (${version}.${kind}) to (autoscaling.Scale): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
};

const fieldProblem = (scale: JsonMap): string | undefined => {
  for (const [field, type] of [
    ['spec', 'ScaleSpec'],
    ['status', 'ScaleStatus'],
  ] as const) {
    const part = scale[field] ?? null;
    if (part === null) continue;
    if (!isMap(part)) return typeProblem(part, `struct field Scale.${field} of type v1.${type}`);
    const { replicas } = part;
    if (replicas === undefined || replicas === null || isInt32(replicas)) continue;
    const into = `struct field ${type}.${field}.replicas of type int32`;
    return typeof replicas === 'number'
      ? `json: cannot unmarshal number ${replicas} into Go ${into}`
      : typeProblem(replicas, into);
  }
  return undefined;
};

const isInt32 = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value + 0.5) < 2 ** 31;

const FIELDS = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

const unknownFields = (scale: JsonMap): string[] => [
  ...Object.keys(scale).filter((field) => !FIELDS.includes(field)),
  ...Object.keys(mapAt(scale, 'metadata'))
    .filter((field) => own(objectMeta.properties, field) === undefined)
    .map((field) => `metadata.${field}`),
  ...Object.keys(mapAt(scale, 'spec'))
    .filter((field) => field !== 'replicas')
    .map((field) => `spec.${field}`),
];
