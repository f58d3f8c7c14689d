import { groupResource, includesType, isClusterScoped, isSameType } from '../../kubernetes.ts';
import type { ChildType, Scale } from '../child-type.ts';
import { builtInProblem } from '../child-types/built-in-types.ts';
import { secret } from '../child-types/core.ts';
import type { Column, Kind } from '../kind.ts';
import type { ReadDefinition } from '../reads.ts';
import { preserve, type StructuralSchema, schemasIn } from '../schema/walk.ts';

/** Status fields that the engine sets for every kind. */
const engineStatus = [
  'observedGeneration',
  'children',
  'conditions',
  'lastApplied',
  'rolloutTarget',
];

interface Schemas {
  readonly spec: StructuralSchema;
  readonly status: StructuralSchema;
}

/** Returns a problem for each field that conflicts with another, or with a rule of the API server or the engine. */
export function inconsistencies(kind: Kind, schemas: Schemas): readonly string[] {
  const { version, versions, owns, reads, scale, columns, rules } = kind;
  const resource = resourceSchema(schemas);
  const repeated = owns.filter((type, at) => owns.findIndex((one) => isSameType(one, type)) < at);
  return [
    ...problemsIf({
      [`versions: ${version} is already the kind's version; list only others`]: versions.some(
        ({ name }) => name === version,
      ),
    }),
    ...repeated.map((type) => `owns, formerly: ${groupResource(type)} is listed twice; keep one`),
    ...owns.flatMap((type) => {
      const field = includesType(kind.formerly, type) ? 'formerly' : 'owns';
      return ownedProblems(kind, type).map((problem) => `${field}: ${problem}`);
    }),
    ...Object.entries(reads).flatMap(([field, read]) =>
      readProblems(kind, read).map((problem) => `reads.${field}: ${problem}`),
    ),
    ...(scale === undefined ? [] : scaleProblems(scale, resource)),
    ...columns.flatMap((column) => columnProblems(column, resource)),
    ...engineStatus
      .filter((name) => Object.hasOwn(schemas.status.properties ?? {}, name))
      .map((name) => `status.${name}: set by the engine for every kind; choose another name`),
    ...ruleProblems({ ...resource, 'x-kubernetes-validations': rules }),
  ];
}

/** Returns the keys whose value is true. */
const problemsIf = (cases: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(cases).filter((problem) => cases[problem]);

function resourceSchema({ spec, status }: Schemas): StructuralSchema {
  const unknown: StructuralSchema = { [preserve]: true };
  const text: StructuralSchema = { type: 'string' };
  const common = Object.fromEntries(engineStatus.map((name) => [name, unknown]));
  return {
    properties: {
      apiVersion: text,
      kind: text,
      metadata: unknown,
      spec,
      status: { ...status, properties: { ...status.properties, ...common } },
    },
  };
}

function ownedProblems(kind: Kind, type: ChildType): readonly string[] {
  const name = groupResource(type);
  return [
    ...[builtInProblem(type) ?? []].flat(),
    ...problemsIf({
      [`${name} is cluster-scoped, and a namespaced owner cannot own it; make the kind cluster-scoped (scope: 'Cluster')`]:
        isClusterScoped(type) && !isClusterScoped(kind),
      [`${name} decides which requests are admitted, and can be written in a safe order only within one namespace; let this kind own a namespaced kind that owns ${name}`]:
        isClusterScoped(kind) && type.exposure !== undefined,
    }),
  ];
}

/** Finds reads with contradictory fields, and reads that would show authors of specs what RBAC hides from them. */
function readProblems(kind: Kind, read: ReadDefinition<unknown>): readonly string[] {
  const { type, name, names, selector, from } = read;
  const [isWide, isWideKind] = [isClusterScoped(type), isClusterScoped(kind)];
  return problemsIf({
    'it has more than one of name, names and selector; keep one':
      [name, names, selector].filter((one) => one !== undefined).length > 1,
    'its type is cluster-scoped; a namespaced resource reads only its own namespace':
      isWide && !isWideKind,
    'its type is cluster-scoped; remove the field from': isWide && from !== undefined,
    "a cluster-scoped resource has no namespace to select in; set from: 'all' or a list":
      selector !== undefined && from === undefined && isWideKind && !isWide,
    "Secrets of other namespaces are read only with from: 'granted'":
      isSameType(type, secret) && from !== undefined && from !== 'granted',
  });
}

/** The required place and type of the field at each path of `scale`. */
const scaleFields = {
  specReplicasPath: { below: /^\.spec\./, type: 'integer', where: '.spec' },
  statusReplicasPath: { below: /^\.status\./, type: 'integer', where: '.status' },
  labelSelectorPath: { below: /^\.(spec|status)\./, type: 'string', where: '.spec or .status' },
} as const;

const scaleProblems = (scale: Scale, resource: StructuralSchema): readonly string[] =>
  Object.entries(scaleFields).flatMap(([field, { below, type, where }]) => {
    const path = scale[field as keyof Scale];
    if (
      path === undefined ||
      (below.test(path) && fieldAt(resource, path, scaleStep)?.type === type)
    )
      return [];
    return [`scale: ${field} "${path}" must lead to a field of type ${type} below ${where}`];
  });

/** The types of the values that a column of each type can show. A `string` column shows any value. */
const valueTypes: Readonly<Record<string, readonly string[]>> = {
  integer: ['integer', 'number'],
  number: ['integer', 'number'],
  boolean: ['boolean'],
  date: ['string'],
};

function columnProblems({ name, type, jsonPath }: Column, resource: StructuralSchema) {
  const subject = `columns: jsonPath ${jsonPath} of "${name}"`;
  const field = fieldAt(resource, jsonPath, columnStep);
  if (field === undefined)
    return [`${subject} leads to no field; begin it with .spec, .status or .metadata`];
  return field.type === undefined || (valueTypes[type]?.includes(field.type) ?? true)
    ? []
    : [
        `${subject} leads to a value of type ${field.type}, which a column of type ${type} does not show`,
      ];
}

/** Matches one step of a column's jsonPath: to a field, such as `.name`, or to list items, such as `[0]`. */
const columnStep = /^(?:\.([^.[\]\s]+)|\['([^']+)'\]|(\[(?:\d+|\*|\?\(.+?\))\]))/;
/** Matches one step of a rule's fieldPath, which cannot lead to list items. */
const ruleStep = /^(?:\.([^.[\]\s]+)|\['([^']+)'\])/;
/** Matches one step of a scale path, which allows neither quotes nor list items. */
const scaleStep = /^\.([^.[\]\s]+)/;

/** Returns the schema at a path; undefined if the path leads nowhere. */
function fieldAt(root: StructuralSchema, path: string, step: RegExp): StructuralSchema | undefined {
  let at: StructuralSchema | undefined = root;
  let rest = path;
  while (rest !== '') {
    const [text, dotted, quoted, item] = step.exec(rest) ?? [];
    if (text === undefined || at === undefined) return undefined;
    const name = dotted ?? quoted ?? '';
    const known: StructuralSchema | undefined =
      item === undefined ? (at.properties?.[name] ?? at.additionalProperties) : at.items;
    // Accepts any other field of a schema that preserves unknown fields.
    at = known ?? (at[preserve] === true ? { [preserve]: true } : undefined);
    rest = rest.slice(text.length);
  }
  return path === '' ? undefined : at;
}

const ruleProblems = (resource: StructuralSchema): readonly string[] =>
  schemasIn(resource).flatMap(({ schema, path }) =>
    (schema['x-kubernetes-validations'] ?? []).flatMap(({ message, fieldPath }) => {
      const subject = `rule ${JSON.stringify(message)} on ${path === '' ? 'the resource' : path.slice(1)}`;
      return problemsIf({
        [`${subject}: its message must be one line`]:
          message.trim() === '' || /[\n\r]/.test(message),
        [`${subject}: fieldPath ${fieldPath} leads to no field; write it like .replicas`]:
          fieldPath !== undefined && fieldAt(schema, fieldPath, ruleStep) === undefined,
      });
    }),
  );
