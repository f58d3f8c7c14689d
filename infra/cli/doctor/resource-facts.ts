import { messageOf } from '../../../shared/cluster/errors.ts';
import type { Kind } from '../../../shared/kinds/define-kind.ts';
import {
  fieldManager,
  generatedManager,
  handOverManager,
  suspendAnnotation,
} from '../../../shared/kinds/names.ts';
import { groupResource, type KubeObject } from '../../../shared/kubernetes.ts';
import { suspended } from '../../../shared/plan/conditions.ts';
import { type ObservedResource, observeResource } from '../../../shared/plan/observed.ts';

/** What one resource shows about how it is reconciled. */
export interface ResourceFacts {
  /** `Website default/shop` */
  readonly name: string;
  /** As kubectl takes it: `-n default websites.kubecon.my.domain/shop` */
  readonly address: string;
  /** The last edit by another manager that makes a run write something; RFC 3339. */
  readonly editedAt: string;
  readonly isDeleting: boolean;
  readonly isSuspended: boolean;
  /** No run has read it since that edit. */
  readonly isWaiting: boolean;
  /** When a run first wrote something after that edit; a run that writes nothing leaves no trace. */
  readonly answeredAt: string | undefined;
  readonly isReady: boolean;
  readonly stalled: Reason | undefined;
  /** Why our own schema refuses it. */
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
export function factsOf(kind: Kind, live: KubeObject, writtenAt: readonly string[]): ResourceFacts {
  const resource = observeResource(kind, live);
  const conditions = resource.status.conditions ?? [];
  const isTrue = (type: string): boolean =>
    conditions.some((one) => one.type === type && one.status === 'True');
  const isSeen = conditions.some(
    ({ observedGeneration }) => observedGeneration === resource.generation,
  );
  const isReportedSuspended = isTrue(suspended.type);
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
    // An annotation that was removed, or a scale, leaves no time, so the length of the wait is unknown.
    isWaiting:
      !resource.deleting &&
      ((!isSeen && !(isScaled(live) && traces.length > 0)) ||
        (resource.suspended && !isReportedSuspended)),
    answeredAt:
      isSeen && resource.suspended === isReportedSuspended ? traces.toSorted()[0] : undefined,
    isReady: isTrue('Ready'),
    stalled: conditions.find((one) => one.type === 'Stalled' && one.status === 'True'),
    ...desiredStateProblems(kind, resource),
  };
}

/** Whether the subresource `scale` was ever written; the API server records no time. */
const isScaled = ({ metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.some(({ subresource }) => subresource === 'scale');

/**
 * Caveats: an edit is known by the fields its manager owns since; one that only took fields
 * away from another manager is missed.
 */
function lastEdit({ metadata }: KubeObject): string {
  const { creationTimestamp, managedFields = [] } = metadata;
  const edits = managedFields
    .filter(({ subresource, manager }) => subresource === undefined && !isOurs(manager))
    .filter(({ fieldsV1 }) => causesWrite(fieldsV1))
    .flatMap(({ time }) => time ?? []);
  return [creationTimestamp, ...edits].toSorted().at(-1) ?? creationTimestamp;
}

/** A run writes nothing for changed labels and foreign annotations. */
function causesWrite(fields: object): boolean {
  const { 'f:spec': spec, 'f:metadata': metadata } = fields as Readonly<
    Record<string, Readonly<Record<string, object | undefined>> | undefined>
  >;
  const annotations = metadata?.['f:annotations'] ?? {};
  return spec !== undefined || Object.hasOwn(annotations, `f:${suspendAnnotation}`);
}

function desiredStateProblems(
  kind: Kind,
  resource: ObservedResource,
): Pick<ResourceFacts, 'refused' | 'blocked'> {
  try {
    const desired = kind.desired(resource);
    if ('invalid' in desired) return { refused: desired.invalid, blocked: [] };
    // What depends on other objects is not known here.
    const known = kind.refersTo.length === 0 ? desired : [];
    const reasons = known.flatMap(({ blocked }) => blocked ?? []);
    return {
      refused: undefined,
      blocked: [...new Map(reasons.map((one) => [one.reason, one])).values()],
    };
  } catch (error) {
    return { refused: `the kind's own code throws: ${messageOf(error)}`, blocked: [] };
  }
}
