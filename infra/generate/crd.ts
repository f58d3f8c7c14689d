import { Type } from 'typebox';
import { present } from '../../shared/json.ts';
import { columnConditions, states } from '../../shared/kinds/condition-types.ts';
import type { Column, Kind } from '../../shared/kinds/kind.ts';
import { structuralSchema } from '../../shared/kinds/schema/structural-schema.ts';
import type { StructuralSchema } from '../../shared/kinds/schema/walk.ts';
import type { JsonObject, Manifest } from '../../shared/kubernetes.ts';
import { lastAppliedSchema, maxChildren } from '../../shared/plan/observed/applied.ts';

/** Category of the resources of every kind: `kubectl get reconciled` lists them. */
export const category = 'reconciled';

export function customResourceDefinition(kind: Kind): Manifest {
  const { group, version, versions, plural, shortNames, categories, scale } = kind;
  const singular = kind.kind.toLowerCase();
  const names = {
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural,
    singular,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    categories: [...new Set([category, ...categories])],
  };
  const common = {
    subresources: scale === undefined ? { status: {} } : { status: {}, scale: { ...scale } },
    additionalPrinterColumns: columnsOf(kind),
    schema: { openAPIV3Schema: resourceSchema(kind) },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names,
      scope: kind.scope ?? 'Namespaced',
      versions: [
        { name: version, served: true, storage: true, ...common },
        ...versions.map((other) => ({ ...other, storage: false, ...common })),
      ],
    },
  };
}

function resourceSchema({ kind, schema, rules, scope }: Kind): JsonObject {
  const { required, description, ...spec } = withExactIntegers(
    structuralSchema(schema.spec, `${kind}: spec`),
  );
  const isDemanded = required !== undefined && spec.default === undefined;
  const status = structuralSchema(Type.Object(schema.status), `${kind}: status`);
  return {
    type: 'object',
    description: typeof description === 'string' ? description : `A resource of the kind ${kind}.`,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: plain(required === undefined ? spec : { ...spec, required }),
      status: statusSchema(plain(status.properties ?? {}), { hasNamespaces: scope === 'Cluster' }),
    },
    ...(isDemanded ? { required: ['spec'] } : {}),
    ...(rules.length === 0 ? {} : plain({ 'x-kubernetes-validations': rules })),
  };
}

/** Limits integers to values that JavaScript represents exactly; an enum needs no limit. */
function withExactIntegers(schema: StructuralSchema): StructuralSchema {
  const { type, properties, additionalProperties, items } = schema;
  const isInteger = type === 'integer' || schema['x-kubernetes-int-or-string'] === true;
  const limit = Number.MAX_SAFE_INTEGER;
  const { minimum = -limit, maximum = limit } = schema as { minimum?: number; maximum?: number };
  const inner = Object.entries(properties ?? {}).map(([name, one]) => [
    name,
    withExactIntegers(one),
  ]);
  return {
    ...schema,
    ...(isInteger && schema.enum === undefined
      ? { minimum: Math.max(minimum, -limit), maximum: Math.min(maximum, limit) }
      : {}),
    ...present({ properties: properties && Object.fromEntries(inner) }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: withExactIntegers(additionalProperties) }),
    ...present({ items: items && withExactIntegers(items) }),
  };
}

/** Converts to JSON, which omits the functions in rules. */
const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value));

const text = { type: 'string' };
const integer = { type: 'integer', format: 'int64' };
const time = { ...text, format: 'date-time' };

/** `hasNamespaces` is true if children may be in several namespaces. */
const statusSchema = (
  own: JsonObject,
  { hasNamespaces }: { readonly hasNamespaces: boolean },
): JsonObject => ({
  type: 'object',
  description: 'The result of the last reconciliation.',
  // Makes `helm --wait` and Flux wait for the first run: by kstatus, a resource without a status would be ready.
  default: { observedGeneration: -1 },
  properties: {
    ...own,
    observedGeneration: {
      ...integer,
      description: 'The newest generation that a run has acted on.',
    },
    children: {
      type: 'array',
      description: 'The objects that the resource desires or owns.',
      'x-kubernetes-list-type': 'atomic',
      maxItems: maxChildren,
      items: {
        type: 'object',
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          ...(hasNamespaces ? { namespace: text } : {}),
        },
        required: ['apiVersion', 'kind', 'name'],
      },
    },
    lastApplied: plain(structuralSchema(lastAppliedSchema, 'status.lastApplied')),
    rolloutTarget: {
      ...text,
      description: 'Digest of the desired children, set before a rollout writes them.',
      maxLength: 64,
    },
    conditions: conditionsSchema,
  },
});

const listOf = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

const conditionsSchema: JsonObject = {
  type: 'array',
  description: `Ready is always present; ${listOf([...states, ...columnConditions].filter((type) => type !== 'Ready'))} are present only while true; Drifted is present while the resource is only observed. kstatus defines ${listOf(states)}.`,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    properties: {
      type: text,
      status: { ...text, enum: ['True', 'False', 'Unknown'] },
      reason: text,
      message: text,
      observedGeneration: integer,
      lastTransitionTime: time,
    },
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  },
};

/** A kind's own column replaces the common column of the same name. */
function columnsOf({ columns }: Kind): readonly JsonObject[] {
  const own = new Set(columns.map(({ name }) => name));
  const all = [...columns, ...commonColumns.filter(({ name }) => !own.has(name))];
  return all.map((column) => ({ ...column }));
}

const statusColumn = (type: string): Column => ({
  name: type,
  type: 'string',
  jsonPath: `.status.conditions[?(@.type=="${type}")].status`,
});

const commonColumns: readonly Column[] = [
  statusColumn('Ready'),
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  // These conditions exist only while they are True, so their columns are usually empty.
  ...columnConditions.map(statusColumn),
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];
