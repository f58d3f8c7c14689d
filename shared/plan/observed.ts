import { canonicalJson, isMap } from '../canonical.ts';
import { typeOf } from '../kinds/child-types.ts';
import { label, suspendAnnotation } from '../kinds/names.ts';
import type {
  Json,
  JsonObject,
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
  ObjectRef,
  OwnerReference,
} from '../kubernetes.ts';
import { factsOf } from './facts.ts';
import { isOurApply, overlapsLegacy } from './legacy.ts';
import { type OwnedFields, openReading, ownedFields, type Reading } from './owned-fields.ts';
import { type Readiness, readinessOf } from './readiness.ts';
import { type ResourceStatus, readStatus } from './recorded-status.ts';
import { UnreadableError } from './unreadable.ts';

/** The fields one manager set on a child. Compact: kept for every child of a run. */
export interface Entry {
  readonly manager: string;
  /** When the manager's fields last changed: its change of any one field is not later than this. */
  readonly time: string | undefined;
  /** Canonical JSON of the values, so that "nothing changed" is one comparison of texts. */
  readonly values: string;
  /** JSON of the lists' keys, whole maps and unset fields (`OwnedFields` without its value). */
  readonly shape: string;
}

/** A live child, reduced on arrival to what planning needs. */
export interface ObservedChild extends ObjectRef {
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  readonly controller: OwnerReference | undefined;
  /** Those of the labels by which children are listed that it has. */
  readonly labelled: Readonly<Record<string, string>>;
  /** Our Apply entry; undefined if somebody cleared it or never was one. */
  readonly ours: Entry | undefined;
  readonly others: readonly Entry[];
  /** Old entries (before-first-apply, our own Update) still hold fields that our Apply entry names. */
  readonly legacy: boolean;
  /** The live values at the paths that its type does not let anybody change. */
  readonly fixed: JsonObject;
  readonly readiness: Readiness;
  readonly facts: JsonObject;
  /** Why nothing but its identity could be read: it is neither written nor deleted. */
  readonly unreadable?: string;
}

/** What an object is and whose, which is read of any object at all. */
type Identity = Pick<
  ObservedChild,
  keyof ObjectRef | 'namespace' | 'uid' | 'resourceVersion' | 'deleting' | 'controller' | 'labelled'
>;
type Content = Omit<ObservedChild, keyof Identity>;

/** A live custom resource, reduced likewise. */
export interface ObservedResource {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly suspended: boolean;
  readonly spec: unknown;
  readonly status: ResourceStatus;
  /** The live status holds something under our fields that no run of ours has written. */
  readonly strayStatus: boolean;
}

export function observeResource(live: KubeObject): ObservedResource {
  const { metadata } = live;
  const { status, hasStrays } = readStatus(live.status);
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    deleting: metadata.deletionTimestamp !== undefined,
    suspended: metadata.annotations?.[suspendAnnotation] === 'true',
    spec: live.spec,
    status,
    strayStatus: hasStrays,
  };
}

/**
 * Guarantees: total. Whatever an object holds, it is a value that comes back, with its identity; time
 * and memory are bounded by its size.
 */
export function observeChild(live: KubeObject): ObservedChild {
  const identity = identityOf(live);
  try {
    return { ...identity, ...contentOf(live) };
  } catch (error) {
    return { ...identity, ...nothing, unreadable: whyOf(error) };
  }
}

const nothing: Content = {
  ours: undefined,
  others: [],
  legacy: false,
  fixed: {},
  readiness: { state: 'Current' },
  facts: {},
};

const whyOf = (error: unknown): string =>
  error instanceof UnreadableError ? error.message : `it is no object that can be read (${error})`;

/** The owner reference of an object's controller. */
export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  Array.isArray(metadata.ownerReferences)
    ? metadata.ownerReferences.find((owner: OwnerReference | null) => owner?.controller === true)
    : undefined;

function identityOf(live: KubeObject): Identity {
  const { metadata } = live;
  return {
    apiVersion: live.apiVersion,
    kind: live.kind,
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    deleting: metadata.deletionTimestamp !== undefined,
    controller: controllerOf(live),
    labelled: ownLabels(metadata.labels),
  };
}

function contentOf(live: KubeObject): Content {
  const { metadata } = live;
  const entries = (metadata.managedFields ?? []).filter(
    ({ subresource }) => subresource !== 'status',
  );
  const ours = entries.find(isOurApply);
  const reading = openReading();
  return {
    ours: ours && readEntry(ours, live, reading),
    others: entries
      .filter((entry) => entry !== ours)
      .map((entry) => readEntry(entry, live, reading)),
    legacy: overlapsLegacy(live),
    fixed: fixedFields(live),
    readiness: readinessOf(live),
    facts: factsOf(live),
  };
}

function fixedFields(live: KubeObject): JsonObject {
  const fixed: Record<string, Json | undefined> = {};
  for (const path of typeOf(live)?.immutable ?? []) fixed[path] = valueAt(live, path);
  return fixed;
}

/** The value of a field, which no list stands above: `spec.selector`. */
const valueAt = (live: object, path: string): Json | undefined =>
  path
    .split('.')
    .reduce<Json | undefined>(
      (inner, field) => (isMap(inner) ? inner[field] : undefined),
      live as JsonObject,
    );

const labels = [label.managedBy, label.partOf, label.instance];

const ownLabels = (live: ObjectMeta['labels'] | null): Readonly<Record<string, string>> =>
  Object.fromEntries(
    labels.flatMap((name) => {
      const value = live?.[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

function readEntry(entry: ManagedFieldsEntry, live: KubeObject, reading: Reading): Entry {
  const { value, ...shape } = ownedFields(entry.fieldsV1, live, reading);
  const read = {
    manager: entry.manager ?? 'unknown',
    time: entry.time,
    values: canonicalJson(value),
    shape: JSON.stringify(shape),
  };
  reading.meter.spend(read.values.length + read.shape.length);
  return read;
}

/** The entry's values again, for the rare child whose text differs from the desired one. */
export const openEntry = (entry: Entry): OwnedFields => ({
  value: entry.values === '' ? undefined : (JSON.parse(entry.values) as Json),
  ...(JSON.parse(entry.shape) as Omit<OwnedFields, 'value'>),
});
