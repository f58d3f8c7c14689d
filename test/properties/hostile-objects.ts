import fc from 'fast-check';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { label } from '../../shared/kinds/names.ts';
import {
  apiVersionOf,
  type KubeObject,
  type OwnerReference,
  type ResourceType,
} from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { childTypes } from '../support/observe.ts';

/** Limits the owners and namespaces that a hostile object may claim. */
export interface Claims {
  readonly namespaces: readonly string[];
  readonly owners: readonly OwnerReference[];
}

/** Nests a field in itself, down to the JSON depth limit of a kube-apiserver. */
export function nested(levels: number, field = 'f:a'): object {
  let value = {};
  for (let level = 0; level < levels; level++) value = { [field]: value };
  return value;
}

const levels = fc.constantFrom(1, 63, 500, 3_000, 9_990);
// Made only once, because each takes as long as all the rest of a case.
const wide = fc.constantFrom(
  ...[10, 1_000, 20_000].map((count) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f:${at}`, {}])),
  ),
);
const long = fc.constantFrom(300, 100_000).map((length) => 'x'.repeat(length));
const strange = fc.constantFrom('', '.', '..', 'a/b', 'A B%', '__proto__', 'constructor', '☃');
const text = fc.oneof(strange, long, fc.string({ maxLength: 20 }));

/** Makes any JSON, including deep and large values. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, -1, 1e300, '', [], {}, [null], [[]], [{}]),
  fc.jsonValue({ maxDepth: 3 }),
  text,
  levels.map((count) => nested(count, 'a')),
  wide,
);

const fields: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 2, arbitrary: levels.map((count) => nested(count)) },
  levels.map((count) => ({ 'f:spec': nested(count, 'f:template') })),
  wide,
  wide.map((inner) => ({ 'f:spec': { 'f:template': inner } })),
  text.map((name) => ({ 'f:metadata': { 'f:finalizers': { [`v:"${name}"`]: {} } } })),
  text.map((name) => ({
    'f:metadata': { 'f:ownerReferences': { [`k:{"uid":"${name}"}`]: { '.': {} } } },
  })),
  fc.constantFrom('k:', 'k:{', 'k:null', 'k:[1]', 'v:', 'v:{', 'i:-1').map((key) => ({
    'f:metadata': { 'f:ownerReferences': { [key]: {} }, 'f:finalizers': { [key]: {} } },
  })),
  anything,
);

const entry = fc.record({
  manager: fc.oneof(
    fc.constantFrom('serverless-reconciler', 'before-first-apply', 'kubectl'),
    text,
  ),
  operation: fc.constantFrom('Apply', 'Update', 'Other'),
  apiVersion: fc.constant('apps/v1'),
  time: fc.constantFrom(undefined, '2026-11-21T10:00:00Z', 'never'),
  fieldsType: fc.constant('FieldsV1'),
  fieldsV1: fields,
});

const managedFields = fc.oneof(
  { weight: 4, arbitrary: fc.array(entry, { maxLength: 4 }) },
  fields.chain((same) =>
    fc.tuple(entry, entry).map(([ours, old]) => [
      { ...ours, manager: 'serverless-reconciler', operation: 'Apply', fieldsV1: same },
      { ...old, manager: 'before-first-apply', operation: 'Update', fieldsV1: same },
    ]),
  ),
  fc.tuple(entry, fc.constantFrom(100, 5_000)).map(([one, count]) => Array(count).fill(one)),
  fc.constantFrom(null, undefined, [null], ['x'], {}, 'x'),
);

const labels = fc.oneof(
  fc.constantFrom('foo', 'website', 'x').map((part) => ({
    [label.managedBy]: 'serverless-reconciler',
    [label.partOf]: part,
    [label.instance]: 'healthy-0',
  })),
  fc.constantFrom(undefined, null, {}),
  fc.dictionary(text, text, { maxKeys: 3 }),
);

const finalizers = fc.constantFrom(undefined, ['example.com/x'], Array(20_000).fill('y'));

function identity({ namespaces }: Claims): fc.Arbitrary<object> {
  return fc.record({
    name: fc.integer({ min: 0, max: 99 }).map((at) => `hostile-${at}`),
    namespace: fc.constantFrom(...namespaces),
    uid: fc.uuid(),
    resourceVersion: fc.constantFrom('1', '999999'),
    generation: fc.constantFrom(undefined, 1, 7),
    creationTimestamp: fc.constant('2026-11-21T10:00:00Z'),
    deletionTimestamp: fc.constantFrom(undefined, undefined, '2026-11-21T10:00:00Z'),
    labels,
    annotations: fc.constantFrom(undefined, { 'serverless-reconciler/suspend': 'maybe' }),
    finalizers,
    managedFields,
  });
}

const of = (type: ResourceType) => ({ apiVersion: apiVersionOf(type), kind: type.kind });

/** Makes an object of a child type that claims another owner, or a resource as its owner. */
export function hostileChild(claims: Claims): fc.Arbitrary<KubeObject> {
  const another = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' };
  const owner = fc.constantFrom(...claims.owners, another).map((one) => ({
    ...one,
    controller: true,
  }));
  const parts = fc.record({
    type: fc.constantFrom(...childTypes),
    metadata: identity(claims),
    ownerReferences: fc.oneof(
      { weight: 3, arbitrary: owner.map((one) => [one]) },
      fc.constantFrom(undefined, null, [], {}, 'x', [null]),
    ),
    name: fc.option(fc.constantFrom('healthy-0', 'healthy-1', 'site')),
    spec: anything,
    status: anything,
    data: anything,
  });
  return parts.map(({ type, metadata, ownerReferences, name, ...body }) => {
    const named = name === null ? {} : { name };
    const whole = { ...of(type), ...body, metadata: { ...metadata, ...named, ownerReferences } };
    return whole as unknown as KubeObject;
  });
}

/** Strings that are short enough not to be kept as digests. */
const strings = Array(100).fill('x'.repeat(1_000));

/** Makes managedFields entries that name the same fields; reading them takes almost `million` million steps. */
const usedBy = (million: number, fieldsV1: object, perMillion: number) =>
  Array.from({ length: Math.floor(million * perMillion) }, (_, at) => ({
    manager: `m${at}`,
    operation: 'Apply',
    apiVersion: 'apps/v1',
    fieldsType: 'FieldsV1',
    fieldsV1,
  }));

/** Contents of the greatest size, which are read again for each manager. */
const contents = {
  'a field': {
    fields: { 'f:spec': {} },
    spec: { text: strings },
    perMillion: 9.9,
  },
  'a long text': {
    fields: { 'f:spec': {} },
    spec: { text: 'x'.repeat(100_000) },
    perMillion: 78,
  },
  'an item of a list': {
    fields: { 'f:spec': { 'f:containers': { 'k:{"name":"x"}': {} } } },
    spec: { containers: [{ name: 'x', text: strings }] },
    perMillion: 9.9,
  },
} as const;

/** Makes objects that each cost slightly less to read than the limit, of separate owners or all of `owner`. */
export function crowd(
  type: ResourceType,
  {
    count,
    million = 2,
    owner,
    namespace,
    content = 'a field',
  }: {
    readonly count: number;
    readonly million?: number;
    readonly owner: OwnerReference | undefined;
    readonly namespace: string;
    readonly content?: keyof typeof contents;
  },
): readonly KubeObject[] {
  const { fields: held, spec, perMillion } = contents[content];
  const managers = usedBy(million, held, perMillion);
  return Array.from({ length: count }, (_, at) => {
    const another = { ...of(foo), name: 'x', uid: `uid-${at}` };
    const ownerReferences = [{ ...(owner ?? another), controller: true }];
    const identified = { name: `crowd-${at}`, namespace, uid: `crowd-${at}`, resourceVersion: '1' };
    const metadata = { ...identified, ownerReferences, managedFields: managers };
    return { ...of(type), metadata, spec } as unknown as KubeObject;
  });
}

/** Makes any number of such objects, or none. */
export const anyCrowd = ({ namespaces, owners }: Claims): fc.Arbitrary<readonly KubeObject[]> =>
  fc
    .record({
      count: fc.constantFrom(0, 0, 20, 600),
      owner: fc.constantFrom(undefined, ...owners),
      namespace: fc.constantFrom(...namespaces),
      content: fc.constantFrom('a field', 'a long text', 'an item of a list' as const),
    })
    .map((one) => crowd(deployment, one));

const ref = fc.record({
  apiVersion: fc.constantFrom('apps/v1', 'v1', 'batch/v1'),
  kind: fc.constantFrom('Deployment', 'Service', 'Secret', 'Ingress', 'Job'),
  name: fc.oneof(text, fc.constantFrom('healthy-0', 'gone')),
});

/** More references than can be read, each of which may exist. */
const manyRefs = Array.from({ length: 5_000 }, (_, at) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: `n-${at}`,
}));

/** Makes a status that a user with permissions on it may write under a lax definition. */
export const hostileStatus: fc.Arbitrary<unknown> = fc.oneof(
  anything,
  fc.record({
    observedGeneration: fc.oneof(fc.integer(), anything),
    children: fc.oneof(
      fc.array(fc.oneof(ref, anything), { maxLength: 5 }),
      fc.constant(manyRefs),
      anything,
    ),
    conditions: fc.oneof(
      fc.array(
        fc.record({ type: fc.constantFrom('Ready', 'Stalled', 'Theirs'), status: anything }),
        { maxLength: 3 },
      ),
      anything,
    ),
    availableReplicas: anything,
    undeclared: anything,
  }),
);

/** Makes a custom resource that may hold anything. */
export const hostileResource = (kind: Kind, claims: Claims): fc.Arbitrary<KubeObject> =>
  fc
    .record({ metadata: identity(claims), spec: anything, status: hostileStatus })
    .map((parts) => ({ ...of(kind), ...parts }) as unknown as KubeObject);
