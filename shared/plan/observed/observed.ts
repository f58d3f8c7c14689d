import type { Identity } from '../../identity.ts';
import { present, valueAt } from '../../json.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import { secret } from '../../kinds/child-types/core.ts';
import { label, saltAnnotation } from '../../kinds/names.ts';
import { current, type Readiness } from '../../kinds/readiness.ts';
import {
  type FieldsV1,
  isSameType,
  type Json,
  type JsonObject,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
} from '../../kubernetes.ts';
import { shortDigest } from './applied.ts';
import { isOurApply, needsConsolidation } from './legacy.ts';
import {
  type OwnedFields,
  openParseContext,
  ownedFields,
  type ParseContext,
} from './owned-fields.ts';
import { type Pool, PostponedError, requireShallow, UnreadableError } from './unreadable.ts';

/** One manager's fields of a child; compact, because a run keeps the entries of all children. */
export interface Entry {
  readonly manager: string;
  /** When the manager last changed any of its fields. */
  readonly time: string | undefined;
  /** Canonical JSON, with long strings shortened. */
  readonly values: string;
  /** JSON of `listKeys` and `leafMaps` of `OwnedFields`. */
  readonly shape: string;
  readonly dropped?: OwnedFields['dropped'];
  readonly beside?: OwnedFields['beside'];
}

/** A live child, reduced on arrival to the parts that plans need. */
export interface ObservedChild extends Outline, Content {
  /** True if the controller's owner reference has the resource's kind and name, with any uid. `readChild` sets it. */
  readonly inherited?: true;
  /** Why only the child's outline could be read. Such a child is neither written nor pruned. */
  readonly unreadable?: string;
  /** True if the child is unreadable only because other objects used up the `Pool`. Runs then read it by name. */
  readonly postponed?: true;
}

/** Parts that can be read from any object. */
export interface Outline extends ObjectRef {
  readonly type: ChildType;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Undefined for types without it, such as Service and ConfigMap. */
  readonly generation?: number;
  readonly deleting: boolean;
  /** The controller's uid; empty if the owner reference is invalid. */
  readonly controller: string | undefined;
  /** The labels by which we list children. */
  readonly labelled: Readonly<Record<string, string>>;
  readonly facts: JsonObject;
}

interface Content {
  readonly ours: Entry | undefined;
  readonly others: readonly Entry[];
  readonly legacy: boolean;
  /** Digest of `ours`, to detect drift; undefined for a Secret without a salt. */
  readonly stored?: string;
  readonly salt?: string;
  /** Set if another writer removed or replaced the salt of one of our Secrets. */
  readonly lacksSalt?: true;
  /** Live values of `ChildType.growing`, by path. */
  readonly sizes?: JsonObject;
  readonly readiness: Readiness;
  readonly complete?: true;
}

export interface Observation {
  readonly identity: Identity;
  readonly pool?: Pool | undefined;
  /** The resource's namespace; default: the child's namespace. */
  readonly from?: string;
}

/** Returns at least the outline, whatever the object contains. The pool bounds time and memory. */
export function observeChild(type: ChildType, live: KubeObject, how: Observation): ObservedChild {
  const outline = outlineOf(type, live, how.from);
  try {
    return { ...outline, ...contentOf(type, live, how) };
  } catch (error) {
    const postponed = error instanceof PostponedError ? { postponed: true as const } : {};
    return { ...outline, ...noContent, unreadable: whyOf(error, live), ...postponed };
  }
}

export const withoutContent = (
  { complete: _, sizes: __, ...child }: ObservedChild,
  unreadable: string,
): ObservedChild => ({ ...child, ...noContent, facts: {}, unreadable });

const noContent: Content = { ours: undefined, others: [], legacy: false, readiness: current };

const whyOf = (error: unknown, { kind }: KubeObject): string => {
  if (error instanceof PostponedError) return error.message;
  const why = error instanceof UnreadableError ? error.message : `it cannot be parsed (${error})`;
  return `${why}; clear its metadata.managedFields (set it to [{}]), or delete the ${kind} to have it recreated`;
};

export const controllerOf = ({
  metadata,
}: Pick<KubeObject, 'metadata'>): OwnerReference | undefined =>
  Array.isArray(metadata.ownerReferences)
    ? metadata.ownerReferences.find((owner: OwnerReference | null) => owner?.controller === true)
    : undefined;

/** Longer than any uid that an API server assigns. */
const maxUid = 64;

export function controllerUid(live: KubeObject): string | undefined {
  const owner = controllerOf(live);
  const isUid = typeof owner?.uid === 'string' && owner.uid.length <= maxUid;
  return owner && (isUid ? owner.uid : '');
}

export function outlineOf(type: ChildType, live: KubeObject, from?: string): Outline {
  const { metadata } = live;
  const { namespace } = metadata;
  return {
    type,
    apiVersion: live.apiVersion,
    kind: live.kind,
    name: metadata.name,
    ...(namespace && from !== undefined && namespace !== from ? { namespace } : {}),
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    ...present({ generation: metadata.generation }),
    deleting: metadata.deletionTimestamp !== undefined,
    controller: controllerUid(live),
    labelled: ownLabels(metadata.labels),
    facts: type.facts?.(live) ?? {},
  };
}

function contentOf(type: ChildType, live: KubeObject, { identity, pool }: Observation): Content {
  const { managedFields = [] } = live.metadata;
  const entries = managedFields.filter(({ subresource }) => subresource !== 'status');
  for (const { fieldsV1 } of entries) requireShallow(fieldsV1, 'its managedFields are');
  const ours = entries.find(isOurApply(identity));
  const context = openParseContext(pool);
  const theirs = entries.filter((entry) => entry !== ours);
  const others = theirs.flatMap(({ fieldsV1 }) => fieldsV1 ?? []);
  const read = ours && readEntry(ours, live, { context, others });
  const isSecret = isSameType(type, secret);
  const salted: Pick<ObservedChild, 'salt' | 'lacksSalt'> =
    isSecret && ours ? saltOf(ours, live) : {};
  const { salt } = salted;
  const stored =
    read && (salt !== undefined || !isSecret) ? shortDigest(storedIn(read), salt) : undefined;
  return {
    ...salted,
    ...present({ stored, sizes: type.growing && sizesOf(type.growing, live) }),
    ours: read,
    others: theirs.map((entry) => readEntry(entry, live, { context })),
    legacy: needsConsolidation(live, identity),
    readiness: type.readiness?.(live) ?? current,
    ...(type.complete?.(live) ? { complete: true } : {}),
  };
}

/** Requires that we own the annotation, because others could set a salt that they know. Recordings mask its value. */
function saltOf({ fieldsV1 }: ManagedFieldsEntry, { metadata }: KubeObject) {
  const owned = valueAt(fieldsV1, 'f:metadata', 'f:annotations', `f:${saltAnnotation}`);
  if (!owned) return { lacksSalt: true } as const;
  const salt = metadata.annotations?.[saltAnnotation];
  return salt !== undefined && /^[\w-]{16,64}$/.test(salt) ? { salt } : {};
}

const sizesOf = (growing: readonly string[], live: KubeObject): JsonObject =>
  Object.fromEntries(growing.map((path) => [path, valueAt(live as Json, ...path.split('.'))]));

const labels: readonly string[] = [label.managedBy, label.partOf, label.instance];

export const ownLabels = (live: ObjectMeta['labels'] | null): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(live ?? {}).filter(([name]) => labels.includes(name)));

function readEntry(
  entry: ManagedFieldsEntry,
  live: KubeObject,
  { context, others }: { readonly context: ParseContext; readonly others?: readonly FieldsV1[] },
): Entry {
  const among = { context, ...present({ others }) };
  const { value, listKeys, leafMaps, dropped, beside } = ownedFields(entry.fieldsV1, live, among);
  const read: Entry = {
    manager: entry.manager ?? 'unknown',
    time: entry.time,
    values: JSON.stringify(value) ?? '',
    shape: JSON.stringify({ listKeys, leafMaps }),
    ...(dropped.length > 0 ? { dropped } : {}),
    ...(beside.length > 0 ? { beside } : {}),
  };
  context.spend(storedIn(read).length + read.shape.length);
  return read;
}

export const storedIn = ({ values, dropped = [] }: Entry): string => [values, ...dropped].join(' ');

export const openEntry = (entry: Entry): Omit<OwnedFields, 'dropped' | 'beside'> => ({
  value: entry.values === '' ? undefined : (JSON.parse(entry.values) as Json),
  ...(JSON.parse(entry.shape) as Pick<OwnedFields, 'listKeys' | 'leafMaps'>),
});
