import { messageOf } from '../../../shared/cluster/errors.ts';
import type { Kind } from '../../../shared/kinds/define-kind.ts';
import {
  fieldManager,
  generatedManager,
  handOverManager,
  suspendAnnotation,
} from '../../../shared/kinds/names.ts';
import { groupResource, type KubeObject } from '../../../shared/kubernetes.ts';
import { isOwnCondition, suspended } from '../../../shared/plan/conditions.ts';
import { type ObservedResource, observeResource } from '../../../shared/plan/observed.ts';

/** What one resource shows of how it is reconciled. */
export interface Resident {
  /** `Website default/shop` */
  readonly name: string;
  /** As kubectl takes it: `-n default websites.kubecon.my.domain/shop` */
  readonly address: string;
  /** The last edit by somebody else that a run answers with a write; RFC 3339. */
  readonly editedAt: string;
  readonly isDeleting: boolean;
  readonly isSuspended: boolean;
  /** No run has read it since that edit. */
  readonly isWaiting: boolean;
  /** When a run first wrote something after that edit; a run that had nothing to write is not known. */
  readonly answeredAt: string | undefined;
  readonly isReady: boolean;
  readonly stalled: Reason | undefined;
  /** Why the local schema refuses it. */
  readonly refused: string | undefined;
  /** Why the local configuration cannot write children that are wanted. */
  readonly blocked: readonly Reason[];
}

export interface Reason {
  readonly reason: string;
  readonly message: string;
}

/** Whether a manager is one of ours. */
export const isOurs = (manager = ''): boolean =>
  manager === fieldManager || manager === handOverManager || manager === generatedManager;

/** `writtenAt`: when we wrote its children, and Events about it. */
export function residentOf(kind: Kind, live: KubeObject, writtenAt: readonly string[]): Resident {
  const resource = observeResource(live);
  const conditions = resource.status.conditions?.filter(isOwnCondition) ?? [];
  const isTrue = (type: string): boolean =>
    conditions.some((one) => one.type === type && one.status === 'True');
  const isSeen = conditions.some(
    ({ observedGeneration }) => observedGeneration === resource.generation,
  );
  const isRested = isTrue(suspended.type);
  const editedAt = lastEdit(live);
  const statusTimes = (live.metadata.managedFields ?? [])
    .filter(({ manager }) => isOurs(manager))
    .flatMap(({ time }) => time ?? []);
  const traces = [
    ...writtenAt,
    ...statusTimes,
    ...conditions.map((one) => one.lastTransitionTime),
  ].filter((time) => time >= editedAt);
  return {
    name: `${kind.kind} ${resource.namespace}/${resource.name}`,
    address: `-n ${resource.namespace} ${groupResource(kind)}/${resource.name}`,
    editedAt,
    isDeleting: resource.deleting,
    isSuspended: resource.suspended,
    // An annotation that was removed leaves no time, so the length of the wait is unknown.
    isWaiting: !resource.deleting && (!isSeen || (resource.suspended && !isRested)),
    answeredAt: isSeen && resource.suspended === isRested ? traces.toSorted()[0] : undefined,
    isReady: isTrue('Ready'),
    stalled: conditions.find((one) => one.type === 'Stalled' && one.status === 'True'),
    ...wishesOf(kind, resource),
  };
}

/**
 * Caveats: an edit is known by the fields it left in its manager's name; one that only took fields
 * away from another manager is not seen.
 */
function lastEdit({ metadata }: KubeObject): string {
  const { creationTimestamp, managedFields = [] } = metadata;
  const edits = managedFields
    .filter(({ subresource, manager }) => subresource === undefined && !isOurs(manager))
    .filter(({ fieldsV1 }) => isAnswered(fieldsV1))
    .flatMap(({ time }) => time ?? []);
  return [creationTimestamp, ...edits].toSorted().at(-1) ?? creationTimestamp;
}

/** A run writes nothing because of labels and foreign annotations. */
function isAnswered(fields: object): boolean {
  const { 'f:spec': spec, 'f:metadata': metadata } = fields as Readonly<
    Record<string, Readonly<Record<string, object | undefined>> | undefined>
  >;
  const annotations = metadata?.['f:annotations'] ?? {};
  return spec !== undefined || Object.hasOwn(annotations, `f:${suspendAnnotation}`);
}

function wishesOf(kind: Kind, resource: ObservedResource): Pick<Resident, 'refused' | 'blocked'> {
  try {
    const desired = kind.desired(resource);
    if ('invalid' in desired) return { refused: desired.invalid, blocked: [] };
    const reasons = desired.flatMap(({ blocked }) => blocked ?? []);
    return {
      refused: undefined,
      blocked: [...new Map(reasons.map((one) => [one.reason, one])).values()],
    };
  } catch (error) {
    return { refused: `the kind's own code fails at it: ${messageOf(error)}`, blocked: [] };
  }
}
