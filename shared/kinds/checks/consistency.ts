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

/** Finds what the API server or the engine would refuse in a kind whose fields are well formed. */
export function inconsistencies(kind: Kind, schemas: Schemas): readonly string[] {
  const { version, versions, owns, reads, scale, columns, rules } = kind;
  const resource = resourceSchema(schemas);
  const repeated = owns.filter((type, at) => owns.findIndex((one) => isSameType(one, type)) < at);
  return [
    ...problemsIf([
      [
        versions.some(({ name }) => name === version),
        `versions: ${version} is the version itself; list only others`,
      ],
    ]),
    ...repeated.map((type) => `owns, formerly: ${groupResource(type)} is listed twice; keep one`),
    ...owns.flatMap((type) =>
      ownedProblems(kind, type).map(
        (text) => `${includesType(kind.formerly, type) ? 'formerly' : 'owns'}: ${text}`,
      ),
    ),
    ...Object.entries(reads).flatMap(([field, read]) =>
      readProblems(kind, read).map((text) => `reads.${field}: ${text}`),
    ),
    ...(scale === undefined ? [] : scaleProblems(scale, resource)),
    ...columns.flatMap((column) => columnProblems(column, resource)),
    ...engineStatus
      .filter((name) => Object.hasOwn(schemas.status.properties ?? {}, name))
      .map((name) => `status.${name}: set by the engine for every kind; choose another name`),
    ...ruleProblems({ ...resource, 'x-kubernetes-validations': rules }),
  ];
}

const problemsIf = (cases: readonly (readonly [is: boolean, text: string])[]): readonly string[] =>
  cases.flatMap(([is, text]) => (is ? [text] : []));

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

const ownedProblems = (kind: Kind, type: ChildType): readonly string[] => [
  ...[builtInProblem(type) ?? []].flat(),
  ...problemsIf([
    [
      isClusterScoped(type) && !isClusterScoped(kind),
      `${groupResource(type)} is cluster-scoped, and a namespaced owner cannot own it; make the kind cluster-scoped (scope: 'Cluster')`,
    ],
    [
      isClusterScoped(kind) && type.exposure !== undefined,
      `${groupResource(type)} decides which requests are admitted, and can be written in a safe order only within one namespace; put it into \`owns\` of a namespaced kind, and that kind into \`owns\` of this one`,
    ],
  ]),
];

/** Finds reads that are not allowed: a spec must not show its author objects that RBAC hides from that author. */
function readProblems(kind: Kind, read: ReadDefinition<unknown>): readonly string[] {
  const { type, name, names, selector, from } = read;
  const [isWide, isWideKind] = [isClusterScoped(type), isClusterScoped(kind)];
  return problemsIf([
    [
      [name, names, selector].filter((one) => one !== undefined).length > 1,
      'it has two of name, names and selector; keep one',
    ],
    [
      isWide && !isWideKind,
      'its type is cluster-scoped; a namespaced resource reads only its own namespace',
    ],
    [isWide && from !== undefined, 'its type is cluster-scoped; remove from'],
    [
      selector !== undefined && from === undefined && isWideKind && !isWide,
      "a cluster-scoped resource has no namespace to select in; set from: 'all' or a list",
    ],
    [
      isSameType(type, secret) && from !== undefined && from !== 'granted',
      "Secrets of other namespaces are read only with from: 'granted'",
    ],
  ]);
}

/** For each path of `scale`: where the field that it names must be, and of which type. */
const scaleFields = {
  specReplicasPath: { below: /^\.spec\./, type: 'integer', where: '.spec' },
  statusReplicasPath: { below: /^\.status\./, type: 'integer', where: '.status' },
  labelSelectorPath: { below: /^\.(spec|status)\./, type: 'string', where: '.spec or .status' },
} as const;

const scaleProblems = (scale: Scale, resource: StructuralSchema): readonly string[] =>
  Object.entries(scaleFields).flatMap(([field, { below, type, where }]) => {
    const path = scale[field as keyof Scale];
    const isRight =
      path === undefined || (below.test(path) && fieldAt(resource, path, scaleStep)?.type === type);
    return isRight
      ? []
      : [`scale: ${field} "${path}" must lead to a field of type ${type} below ${where}`];
  });

/** Maps the type of a column to the types of the values that it shows. A column of type string shows any. */
const valueTypes: Readonly<Record<string, readonly string[]>> = {
  integer: ['integer', 'number'],
  number: ['integer', 'number'],
  boolean: ['boolean'],
  date: ['string'],
};

function columnProblems(column: Column, resource: StructuralSchema): readonly string[] {
  const { name, type, jsonPath } = column;
  const subject = `columns: jsonPath ${jsonPath} of "${name}"`;
  const field = fieldAt(resource, jsonPath, columnStep);
  if (field === undefined)
    return [`${subject} leads to no field; begin it with .spec, .status or .metadata`];
  const types = valueTypes[type];
  return problemsIf([
    [
      field.type !== undefined && types?.includes(field.type) === false,
      `${subject} leads to a value of type ${field.type}, which a column of type ${type} does not show`,
    ],
  ]);
}

/** Matches one step of a column's jsonPath: `.name`, `['name']`, or to list items: `[0]`, `[*]`, `[?(…)]`. */
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
    // Below a schema that preserves unknown fields, any path is accepted.
    at = known ?? (at[preserve] === true ? { [preserve]: true } : undefined);
    rest = rest.slice(text.length);
  }
  return path === '' ? undefined : at;
}

const ruleProblems = (resource: StructuralSchema): readonly string[] =>
  schemasIn(resource).flatMap(({ schema, path }) =>
    (schema['x-kubernetes-validations'] ?? []).flatMap(({ message, fieldPath }) => {
      const subject = `rule ${JSON.stringify(message)} on ${path === '' ? 'the resource' : path.slice(1)}`;
      const isLine = message.trim() !== '' && !/[\n\r]/.test(message);
      const leadsNowhere =
        fieldPath !== undefined && fieldAt(schema, fieldPath, ruleStep) === undefined;
      return problemsIf([
        [!isLine, `${subject}: its message must be one line`],
        [
          leadsNowhere,
          `${subject}: fieldPath ${fieldPath} leads to no field; write it like .replicas`,
        ],
      ]);
    }),
  );
