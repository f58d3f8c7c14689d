import {
  groupResource,
  includesType,
  isClusterScoped,
  type ResourceType,
} from '../../kubernetes.ts';
import { builtInProblem } from '../built-in-types.ts';
import type { ChildType, Scale } from '../child-type.ts';
import { conditionTypeProblem } from '../condition-types.ts';
import { dnsLabel, objectName } from '../names.ts';
import type { Rule } from '../schema/rules.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { readProblems } from './check-reads.ts';

type OwnedType = ResourceType & Pick<ChildType, 'exposure'>;

/** The fields of a kind's definition that can be checked without a resource. */
interface CheckedDefinition extends ResourceType {
  readonly versions?: readonly { readonly name: string }[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scale?: Scale;
  readonly columns?: readonly {
    readonly name: string;
    readonly type: string;
    readonly jsonPath: string;
  }[];
  readonly conditions?: readonly string[];
  readonly rules?: readonly Rule[];
  readonly samples: readonly { readonly name: string }[];
  readonly owns: readonly OwnedType[];
  readonly formerly?: readonly OwnedType[];
  readonly reads?: object;
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;
const reserved = /(^|\.)(k8s|kubernetes)\.io$/;
const label = 'lower-case letters, digits and dashes, at most 63, beginning with a letter';

/** Status fields that the engine sets for every kind. */
const engineStatus = [
  'observedGeneration',
  'children',
  'conditions',
  'lastApplied',
  'rolloutTarget',
];

/** Throws an error that lists everything the API server or the engine would refuse in a definition. */
export function checkDefinition(
  definition: CheckedDefinition,
  schemas: { readonly spec: StructuralSchema; readonly status: StructuralSchema },
): void {
  const { rules = [], columns = [], conditions = [], owns, formerly = [] } = definition;
  const resource = resourceSchema(schemas);
  const status = Object.keys(schemas.status.properties ?? {});
  const problems = [
    ...nameProblems(definition),
    ...scopeProblems(definition),
    ...scaleProblems(definition.scale, resource),
    ...duplicates(columns).map((name) => `columns: two are called ${JSON.stringify(name)}`),
    ...columns.flatMap((column) => columnProblem(column, resource)),
    ...duplicates(definition.samples).map((name) => `samples: two are called ${name}`),
    ...repeated(owns.map(groupResource)).map((name) => `owns: ${name} is listed twice`),
    ...repeated(formerly.map(groupResource)).map((name) => `formerly: ${name} is listed twice`),
    ...formerly
      .filter((type) => includesType(owns, type))
      .map((type) => `formerly: ${groupResource(type)} is in owns, too; remove it from one`),
    ...Object.entries({ owns, formerly }).flatMap(([field, types]) =>
      types.flatMap((type) => builtInProblem(type) ?? []).map((text) => `${field}: ${text}`),
    ),
    ...Object.entries(definition.reads ?? {}).flatMap(([field, read]) =>
      readProblems(definition, read).map((text) => `reads.${field}: ${text}`),
    ),
    ...engineStatus
      .filter((name) => status.includes(name))
      .map((name) => `status.${name}: set by the engine for every kind; choose another name`),
    ...conditions
      .flatMap((type) => conditionTypeProblem(type) ?? [])
      .map((text) => `conditions: ${text}`),
    ...repeated(conditions).map((type) => `conditions: ${type} is listed twice`),
    ...ruleProblems({ ...resource, 'x-kubernetes-validations': rules }, ''),
  ];
  if (problems.length > 0)
    throw new Error(problems.map((problem) => `${definition.kind}: ${problem}`).join('\n'));
}

/** Marks a schema that preserves unknown fields, so any path may lead below it. */
const open = 'x-kubernetes-preserve-unknown-fields';

function resourceSchema({ spec, status }: { spec: StructuralSchema; status: StructuralSchema }) {
  const unknown: StructuralSchema = { [open]: true };
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

function nameProblems(definition: CheckedDefinition): readonly string[] {
  const { group, version, versions = [], kind, plural, samples } = definition;
  const isLabel = (text: string): boolean => dnsLabel(text) === text;
  return [
    ...(subdomain.test(group) && `${plural}.${group}`.length <= 253
      ? []
      : [`group ${JSON.stringify(group)} must be a domain with a dot, such as example.org`]),
    ...(reserved.test(group)
      ? [`group ${group} is reserved for Kubernetes; use a domain of your own`]
      : []),
    ...Object.entries({ version, plural, kind: kind.toLowerCase() })
      .filter(([, text]) => !isLabel(text))
      .map(([field, text]) => `${field} ${JSON.stringify(text)} must consist of ${label}`),
    ...versions
      .filter(({ name }) => !isLabel(name))
      .map(({ name }) => `versions: ${JSON.stringify(name)} must consist of ${label}`),
    ...duplicates([{ name: version }, ...versions]).map((name) =>
      name === version
        ? `versions: ${name} is the version itself; list only others`
        : `versions: ${name} is listed twice`,
    ),
    ...(isLabel(`${kind}List`.toLowerCase()) ? [] : [`kind must have at most 59 characters`]),
    ...(['shortNames', 'categories'] as const).flatMap((field) => {
      const names = definition[field] ?? [];
      return [
        ...names
          .filter((name) => !isLabel(name))
          .map((name) => `${field}: ${JSON.stringify(name)} must consist of ${label}`),
        ...repeated(names).map((name) => `${field}: ${name} is listed twice`),
      ];
    }),
    ...samples
      .filter(({ name }) => objectName(name) !== name)
      .map(({ name }) => `samples: ${JSON.stringify(name)} cannot be the name of a resource`),
  ];
}

const scopes: readonly unknown[] = ['Namespaced', 'Cluster', undefined];

/**
 * Checks scopes: a namespaced kind cannot own cluster-scoped types, and a cluster-scoped kind cannot own
 * types that decide which requests are admitted.
 */
function scopeProblems(definition: CheckedDefinition): readonly string[] {
  const { scope, owns, formerly = [] } = definition;
  if (!scopes.includes(scope))
    return [`scope ${JSON.stringify(scope)} must be "Namespaced" or "Cluster"`];
  return Object.entries({ owns, formerly }).flatMap(([field, types]) => {
    const refused = types.filter((type) =>
      isClusterScoped(definition) ? type.exposure !== undefined : isClusterScoped(type),
    );
    const why = isClusterScoped(definition)
      ? 'decides which requests are admitted, and can be written in a safe order only within one namespace; let a namespaced kind own it, and own that kind'
      : "is cluster-scoped, and an owner in a namespace cannot own it; make the kind cluster-scoped (scope: 'Cluster')";
    return refused.map((type) => `${field}: ${groupResource(type)} ${why}`);
  });
}

/**
 * Where each path of `scale` must lead, and to which type. With another type, the API server answers `kubectl
 * scale` with an error.
 */
const scaleFields = {
  specReplicasPath: { below: ['spec'], type: 'integer' },
  statusReplicasPath: { below: ['status'], type: 'integer' },
  labelSelectorPath: { below: ['spec', 'status'], type: 'string' },
} as const;

const scaleProblems = (scale: Scale | undefined, resource: StructuralSchema): readonly string[] =>
  Object.entries(scaleFields).flatMap(([field, { below, type }]) => {
    const path = scale?.[field as keyof Scale];
    if (path === undefined) return [];
    const isBelow = below.some((name) => path.startsWith(`.${name}.`));
    if (isBelow && fieldAt(resource, path, scaleStep)?.type === type) return [];
    const allowed = below.map((name) => `.${name}`).join(' or ');
    return [
      `scale: ${field} ${JSON.stringify(path)} must lead to a field of type ${type} below ${allowed}`,
    ];
  });

const duplicates = (list: readonly { readonly name: string }[]): readonly string[] =>
  repeated(list.map(({ name }) => name));

const repeated = (names: readonly string[]): readonly string[] =>
  names.filter((name, at) => names.indexOf(name) < at);

/** Maps the type of a column to the types of the values that it shows. A column of type string shows any. */
const valueTypes: Readonly<Record<string, readonly string[]>> = {
  integer: ['integer', 'number'],
  number: ['integer', 'number'],
  boolean: ['boolean'],
  date: ['string'],
};

function columnProblem(
  { name, type, jsonPath }: { name: string; type: string; jsonPath: string },
  resource: StructuralSchema,
): readonly string[] {
  const subject = `columns: jsonPath ${jsonPath} of ${JSON.stringify(name)}`;
  const found = fieldAt(resource, jsonPath, columnStep);
  if (found === undefined)
    return [`${subject} leads to no field; it begins with .spec, .status or .metadata`];
  const types = valueTypes[type];
  return found.type === undefined || types === undefined || types.includes(found.type)
    ? []
    : [
        `${subject} leads to a value of type ${found.type}, which a column of type ${type} does not show`,
      ];
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
    at = known ?? (at[open] === true ? { [open]: true } : undefined);
    rest = rest.slice(text.length);
  }
  return path === '' ? undefined : at;
}

/** Collects the problems of every validation rule in a resource's schema. */
function ruleProblems(schema: StructuralSchema, path: string): readonly string[] {
  const { properties = {}, additionalProperties, items } = schema;
  const own = (schema['x-kubernetes-validations'] ?? []).flatMap(({ message, fieldPath }) => {
    const subject = `rule ${JSON.stringify(message)} on ${path === '' ? 'the resource' : path.slice(1)}`;
    return [
      ...(message.trim() === '' || /[\n\r]/.test(message)
        ? [`${subject}: its message must be one line`]
        : []),
      ...(fieldPath === undefined || fieldAt(schema, fieldPath, ruleStep) !== undefined
        ? []
        : [`${subject}: fieldPath ${fieldPath} leads to no field; write it like .replicas`]),
    ];
  });
  return [
    ...own,
    ...Object.entries(properties).flatMap(([name, inner]) =>
      ruleProblems(inner, `${path}.${name}`),
    ),
    ...(additionalProperties === undefined ? [] : ruleProblems(additionalProperties, `${path}.*`)),
    ...(items === undefined ? [] : ruleProblems(items, `${path}[]`)),
  ];
}
