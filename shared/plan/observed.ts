import { canonicalJson } from '../canonical.ts';
import { label, suspendAnnotation } from '../kinds/names.ts';
import type {
  Json,
  JsonObject,
  KubeObject,
  ManagedFieldsEntry,
  ObjectRef,
  OwnerReference,
} from '../kubernetes.ts';
import type { Condition } from './conditions.ts';
import { factsOf } from './facts.ts';
import { isLegacy, isOurApply, overlapsLegacy } from './legacy.ts';
import { type OwnedFields, ownedFields } from './owned-fields.ts';
import { type Readiness, readinessOf } from './readiness.ts';

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
  readonly readiness: Readiness;
  readonly facts: JsonObject;
}

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
}

export interface ResourceStatus {
  readonly observedGeneration?: number;
  readonly children?: readonly ObjectRef[];
  readonly conditions?: readonly Condition[];
  readonly [field: string]: unknown;
}

export function observeResource(live: KubeObject): ObservedResource {
  const { metadata } = live;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    deleting: metadata.deletionTimestamp !== undefined,
    suspended: metadata.annotations?.[suspendAnnotation] === 'true',
    spec: live.spec,
    status: (live.status ?? {}) as ResourceStatus,
  };
}

export function observeChild(live: KubeObject): ObservedChild {
  const { metadata } = live;
  const entries = (metadata.managedFields ?? []).filter(
    ({ subresource }) => subresource !== 'status',
  );
  const ours = entries.find(isOurApply);
  return {
    apiVersion: live.apiVersion,
    kind: live.kind,
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    deleting: metadata.deletionTimestamp !== undefined,
    controller: metadata.ownerReferences?.find(({ controller }) => controller === true),
    labelled: ownLabels(metadata.labels),
    ours: ours && readEntry(ours, live),
    others: entries.filter((entry) => entry !== ours).map((entry) => readEntry(entry, live)),
    legacy: entries.some(isLegacy) && overlapsLegacy(live),
    readiness: readinessOf(live),
    facts: factsOf(live),
  };
}

const labels = [label.managedBy, label.partOf, label.instance];

const ownLabels = (live: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(
    labels.flatMap((name) => {
      const value = live[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

function readEntry(entry: ManagedFieldsEntry, live: KubeObject): Entry {
  const { value, ...shape } = ownedFields(entry.fieldsV1, live);
  return {
    manager: entry.manager ?? 'unknown',
    time: entry.time,
    values: canonicalJson(value),
    shape: JSON.stringify(shape),
  };
}

/** The entry's values again, for the rare child whose text differs from the desired one. */
export const openEntry = (entry: Entry): OwnedFields => ({
  value: entry.values === '' ? undefined : (JSON.parse(entry.values) as Json),
  ...(JSON.parse(entry.shape) as Omit<OwnedFields, 'value'>),
});
