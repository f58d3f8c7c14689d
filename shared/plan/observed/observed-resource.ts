import { type Finalization, finalizationOf } from '../../finalization.ts';
import { type Identity, rolloutManager } from '../../identity.ts';
import { deepFreeze, present, textAt, valueAt } from '../../json.ts';
import {
  label,
  observeAnnotation,
  rolloutFirstAnnotation,
  suspendAnnotation,
} from '../../kinds/names.ts';
import type { KubeObject, ObjectMeta, ResourceType } from '../../kubernetes.ts';
import type { Labels } from '../../label-selector.ts';
import type { AppliedRecords } from './applied.ts';
import { readyOf, suspended } from './conditions.ts';
import { type RecordingKind, type ResourceStatus, readStatus } from './recorded-status.ts';
import { type Mark, readMark } from './rollout-mark.ts';

/** A live custom resource, reduced to what plans need. */
export interface ObservedResource extends Finalization {
  readonly name: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly uid: string;
  readonly createdAt: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly suspended: boolean;
  /** False while the resource is being deleted, because the clean-up has to write. */
  readonly observeOnly: boolean;
  readonly labels?: Labels | undefined;
  readonly spec: unknown;
  readonly status: ResourceStatus;
  readonly applied: AppliedRecords;
  /** True if `readStatus` dropped or updated something, so the status has to be written. */
  readonly strayStatus: boolean;
  /** Undefined unless our rollout manager owns the whole condition. */
  readonly rollout?: Mark;
  /** Index of the rollout condition in the live status, whoever wrote it. */
  readonly markAt?: number;
  readonly first?: true;
}

/** The parts of a resource whose change makes a run plan again. */
export type Specification = Pick<
  ObservedResource,
  'uid' | 'generation' | 'deleting' | 'suspended' | 'observeOnly'
>;

export const specificationOf = ({ metadata }: KubeObject): Specification => ({
  uid: metadata.uid,
  generation: metadata.generation ?? 0,
  deleting: metadata.deletionTimestamp !== undefined,
  suspended: metadata.annotations?.[suspendAnnotation] === 'true',
  observeOnly:
    metadata.deletionTimestamp === undefined &&
    metadata.annotations?.[observeAnnotation] === 'true',
});

export function observeResource(
  kind: RecordingKind & Pick<ResourceType, 'group'>,
  live: KubeObject,
  { identity }: { readonly identity: Identity },
): ObservedResource {
  const { metadata } = live;
  const entryOf = (manager: string) => statusApplyOf(metadata.managedFields, manager);
  const owned = valueAt(entryOf(identity.name), 'fieldsV1', 'f:status', 'f:lastApplied');
  const { status, applied, hasStrays } = readStatus(live.status, kind, {
    holdsRecords: owned !== undefined,
  });
  const found = readMark(live.status, entryOf(rolloutManager(identity)));
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    ...specificationOf(live),
    createdAt: metadata.creationTimestamp,
    resourceVersion: metadata.resourceVersion,
    ...present({ labels: labelsOf(metadata) }),
    // Freezes the spec, so that a kind's code cannot change what later plans see.
    spec: deepFreeze(live.spec),
    status,
    applied,
    strayStatus: hasStrays,
    ...present({ rollout: found?.mark, markAt: found?.at }),
    ...(metadata.annotations?.[rolloutFirstAnnotation] === 'true' ? { first: true } : {}),
    ...finalizationOf(kind, metadata, identity),
  };
}

/** Omits the labels that we set on children. */
export function labelsOf({ labels }: Pick<ObjectMeta, 'labels'>): Labels | undefined {
  const { [label.managedBy]: _, [label.partOf]: __, [label.instance]: ___, ...own } = labels ?? {};
  return Object.keys(own).length === 0 ? undefined : own;
}

/** Finds the manager's apply of the status. Entries may be malformed, because anyone can write them. */
export const statusApplyOf = (entries: unknown, manager: string): unknown =>
  (Array.isArray(entries) ? entries : []).find(
    (entry: unknown) =>
      textAt(entry, 'manager') === manager &&
      textAt(entry, 'operation') === 'Apply' &&
      textAt(entry, 'subresource') === 'status',
  );

/** Reports whether the newest generation is not fully reconciled yet. */
export const isEdited = ({ status, generation }: ObservedResource): boolean =>
  status.observedGeneration !== generation;

/** Reports whether no run has tried this generation yet. If so, this run's writes count as caused by the edit. */
export function isUntried(resource: ObservedResource): boolean {
  const ready = readyOf(resource);
  const isTried = ready?.observedGeneration === resource.generation;
  return isEdited(resource) && !(isTried && ready.reason !== suspended.reason);
}
