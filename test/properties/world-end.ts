import { isMap } from '../../shared/canonical.ts';
import { defaultIdentity } from '../../shared/identity.ts';
import { valueAt } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { saltAnnotation } from '../../shared/kinds/names.ts';
import type { FieldsV1, Json, JsonObject } from '../../shared/kubernetes.ts';
import { omit } from '../../shared/plan/drift/kept-values.ts';
import { isOurApply } from '../../shared/plan/observed/legacy.ts';
import { ownedFields } from '../../shared/plan/observed/owned-fields.ts';
import type { Live } from '../scenarios/api.ts';

/** The fields of a resource and its children, by title, that depend only on the spec. */
export type WorldEnd = Readonly<Record<string, JsonObject>>;

export interface World {
  readonly kind: Kind;
  readonly resource: Live;
  readonly children: readonly Live[];
}

/**
 * Returns two worlds in the form in which they are compared: without uids, versions, times, namespaces,
 * allocated addresses, and fields that others hold or that were handed over in one of them.
 */
export function ends(one: World, other: World): readonly [WorldEnd, WorldEnd] {
  const [a, b] = [childrenOf(one), childrenOf(other)];
  const none = { object: {}, ours: {}, owned: {}, others: [] };
  const end = (world: World, own: ReadonlyMap<string, Child>, theirs: ReadonlyMap<string, Child>) =>
    Object.fromEntries([
      ['the resource', resourceOf(world)],
      ...[...own].map(([title, child]) => [title, comparable(child, theirs.get(title) ?? none)]),
    ]) as WorldEnd;
  return [end(one, a, b), end(other, b, a)];
}

interface Child {
  readonly object: JsonObject;
  readonly ours: FieldsV1;
  /** The values of these fields: the API server also names empty maps that it does not store. */
  readonly owned: Json;
  /** The fields of other managers, also those of ours for generated data. */
  readonly others: readonly FieldsV1[];
}

/** Replaces the uid and the namespace by strings that are equal in all worlds. */
function anonymous<T extends object>(value: T, { metadata: { uid, namespace = '' } }: Live): T {
  const text = JSON.stringify(value).replaceAll(uid, 'UID').replaceAll(namespace, 'NAMESPACE');
  return JSON.parse(text) as T;
}

const childrenOf = ({ kind, resource, children }: World): ReadonlyMap<string, Child> =>
  new Map(
    children.map((live) => {
      const { metadata, status: _, ...rest } = anonymous(live, resource);
      const { managedFields = [], labels = {}, annotations = {}, ownerReferences } = metadata;
      const isOurs = isOurApply(defaultIdentity);
      const fieldsOf = (is: boolean) =>
        managedFields.filter((entry) => isOurs(entry) === is).map((entry) => entry.fieldsV1 ?? {});
      const own = { labels, annotations, ownerReferences } as unknown as JsonObject;
      const paths = handedOver({ kind, resource }, live);
      const object = omit({ ...(rest as unknown as JsonObject), metadata: own }, paths);
      const names = paths.map((path) => path.replace(/(^|\.)/g, '$1f:'));
      const ours = omit((fieldsOf(true)[0] ?? {}) as JsonObject, names) as FieldsV1;
      const owned = ownedFields(ours, { ...rest, metadata }).value ?? {};
      return [`${live.kind} ${metadata.name}`, { object, ours, owned, others: fieldsOf(false) }];
    }),
  );

/** The fields of a child that its kind left to others when it stopped setting them. */
function handedOver({ kind, resource }: Pick<World, 'kind' | 'resource'>, live: Live) {
  const { name, namespace = '', uid } = resource.metadata;
  const desired = kind.desired({
    name,
    namespace,
    uid,
    createdAt: '2026-01-01T00:00:00Z',
    spec: resource.spec,
  });
  return ('invalid' in desired ? [] : desired)
    .filter((child) => child.type.kind === live.kind && child.name === live.metadata.name)
    .flatMap(({ body, handsOver = [] }) =>
      handsOver.filter((path) => valueAt(body, ...path.split('.')) === undefined),
    );
}

/** Fields that the API server allocates, or that are random. */
const allocated: FieldsV1 = {
  'f:metadata': { 'f:annotations': { [`f:${saltAnnotation}`]: {} } },
  'f:spec': { 'f:clusterIP': {}, 'f:clusterIPs': {} },
};

function comparable({ object, ours, owned, others }: Child, same: Child): JsonObject {
  const kept = [ours, same.ours];
  let left: Json = object;
  for (const fields of [...others, ...same.others]) left = without(left, fields, kept);
  return {
    ...(without(left, allocated, []) as JsonObject),
    owned,
  };
}

/** Removes the fields that a managedFields entry names, unless one of our entries names them as well. */
function without(value: Json, fields: FieldsV1, kept: readonly FieldsV1[]): Json {
  if (Array.isArray(value))
    return value.map((item: Json) => {
      const key = Object.keys(fields).find((name) => isItem(item, name));
      return key === undefined
        ? item
        : without(
            item,
            fields[key] as FieldsV1,
            kept.flatMap((one) => one[key] ?? []) as FieldsV1[],
          );
    });
  if (!isMap(value)) return value;
  const entries = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    const key = `f:${name}`;
    const named = fields[key] as FieldsV1 | undefined;
    if (named === undefined || inner === undefined) return [[name, inner as Json]];
    const ours = kept.flatMap((one) => one[key] ?? []) as FieldsV1[];
    if (Object.keys(named).some((inside) => inside !== '.'))
      return [[name, without(inner, named, ours)]];
    return ours.length > 0 ? [[name, inner]] : [];
  });
  return Object.fromEntries(entries);
}

function isItem(item: Json, name: string): boolean {
  if (!name.startsWith('k:') || !isMap(item)) return false;
  const key = JSON.parse(name.slice(2)) as JsonObject;
  return Object.entries(key).every(([field, value]) => item[field] === value);
}

function resourceOf({ resource }: World): JsonObject {
  const { status = {}, metadata } = anonymous(resource, resource);
  const { conditions = [], children = [], observedGeneration } = status;
  return {
    isCurrent: observedGeneration === metadata.generation,
    children: children as unknown as Json,
    conditions: conditions.map(({ type, status: is, reason, message }) => ({
      type,
      is,
      reason,
      message,
    })),
  };
}
