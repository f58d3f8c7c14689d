import { present } from '../../json.ts';
import { groupResource, includesType, isClusterScoped, isSameType } from '../../kubernetes.ts';
import type { ChildType, Scale } from '../child-type.ts';
import { builtInProblem } from '../child-types/built-in-types.ts';
import { secret } from '../child-types/core.ts';
import type { Column, Kind } from '../kind.ts';
import type { ReadDefinition } from '../reads.ts';
import { anything, fieldOf, type StructuralSchema } from '../schema/walk.ts';

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

/** Finds fields that conflict with another, or with a rule of the engine. */
export function inconsistencies(kind: Kind, schemas: Schemas): readonly string[] {
  const { owns, reads, scale, columns } = kind;
  const resource = resourceSchema(schemas);
  const repeated = owns.filter((type, at) => owns.findIndex((one) => isSameType(one, type)) < at);
  return [
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
  ];
}

const problemsIf = (cases: Readonly<Record<string, boolean>>): readonly string[] =>
  Object.keys(cases).filter((problem) => cases[problem]);

function resourceSchema({ spec, status }: Schemas): StructuralSchema {
  const common = Object.fromEntries(engineStatus.map((name) => [name, anything]));
  const ofStatus = { ...status, properties: { ...status.properties, ...common } };
  const [apiVersion, kind, metadata] = [anything, anything, anything];
  return { properties: { apiVersion, kind, metadata, spec, status: ofStatus } };
}

function ownedProblems(kind: Kind, type: ChildType): readonly string[] {
  const name = groupResource(type);
  return [
    ...[builtInProblem(type) ?? []].flat(),
    ...problemsIf({
      [`${name} is cluster-scoped, and a namespaced owner cannot own it; make the kind cluster-scoped (scope: 'Cluster')`]:
        isClusterScoped(type) && !isClusterScoped(kind),
      [`a cluster-scoped kind cannot own ${name}, because exposed paths are written in a safe order only within one namespace; let this kind own a namespaced kind that owns ${name}`]:
        isClusterScoped(kind) && type.exposure !== undefined,
    }),
  ];
}

/** Also finds reads that would show authors of specs what RBAC hides from them. */
function readProblems(kind: Kind, read: ReadDefinition<unknown>): readonly string[] {
  const { type, name, names, selector, from } = read;
  const [isWide, isWideKind] = [isClusterScoped(type), isClusterScoped(kind)];
  return problemsIf({
    'it has more than one of name, names and selector; keep one':
      [name, names, selector].filter((one) => one !== undefined).length > 1,
    "its type is cluster-scoped, and a namespaced kind cannot read it; make the kind cluster-scoped (scope: 'Cluster')":
      isWide && !isWideKind,
    "its type is cluster-scoped; remove 'from'": isWide && from !== undefined,
    "a cluster-scoped resource has no namespace to read in by default; set `from` to 'granted', 'all' or a list of namespaces":
      (name ?? names ?? selector) !== undefined && from === undefined && isWideKind && !isWide,
    "Secrets of other namespaces are read only with from: 'granted'":
      isSameType(type, secret) && from !== undefined && from !== 'granted',
  });
}

const scaleTypes: Readonly<Record<string, string>> = {
  specReplicasPath: 'integer',
  statusReplicasPath: 'integer',
  labelSelectorPath: 'string',
};

const scaleProblems = (scale: Scale, resource: StructuralSchema): readonly string[] =>
  Object.entries(present(scale))
    .filter(([field, path]) => fieldAt(resource, path)?.type !== scaleTypes[field])
    .map(
      ([field, path]) =>
        `scale: ${field} "${path}" must lead to a field of type ${scaleTypes[field]}`,
    );

const columnProblems = ({ name, jsonPath }: Column, resource: StructuralSchema) =>
  fieldAt(resource, jsonPath) === undefined
    ? [
        `columns: jsonPath ${jsonPath} of "${name}" leads to no field; begin it with .spec, .status or .metadata`,
      ]
    : [];

/** Such as `.name`, or `[0]` for list items. */
const step = /^(?:\.([^.[\]\s]+)|\['([^']+)'\]|(\[(?:\d+|\*|\?\(.+?\))\]))/;

function fieldAt(root: StructuralSchema, path: string): StructuralSchema | undefined {
  let at: StructuralSchema | undefined = root;
  let rest = path;
  while (rest !== '') {
    const [text, dotted, quoted, item] = step.exec(rest) ?? [];
    if (text === undefined || at === undefined) return undefined;
    at = item === undefined ? fieldOf(at, dotted ?? quoted ?? '') : (at.items ?? fieldOf(at, item));
    rest = rest.slice(text.length);
  }
  return path === '' ? undefined : at;
}
