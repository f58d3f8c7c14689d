import { messageOf } from '../../../shared/cluster/errors.ts';
import { type Identity, managersOf, nameProblem, namesOf } from '../../../shared/identity.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { suspendAnnotation } from '../../../shared/kinds/names.ts';
import { groupResource, type KubeObject, titleOf } from '../../../shared/kubernetes.ts';
import { suspended } from '../../../shared/plan/observed/conditions.ts';
import { type ObservedResource, observeResource } from '../../../shared/plan/observed/observed.ts';

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
  /** Field managers that apply what every reconciler writes into a status, under names that are not ours. */
  readonly otherHolders: readonly string[];
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

/** Whether a manager is one of ours, under the present name or a former one. */
export const isOurs =
  (identity: Identity) =>
  (manager = ''): boolean =>
    namesOf(identity).some((name) => managersOf(name).includes(manager));

/** Who reads it, and when we wrote its children, and Events about it. */
export interface Reading {
  readonly identity: Identity;
  readonly writtenAt: readonly string[];
}

export function factsOf(
  kind: Kind,
  live: KubeObject,
  { identity, writtenAt }: Reading,
): ResourceFacts {
  const resource = observeResource(kind, live, { identity });
  const isOwn = isOurs(identity);
  const conditions = resource.status.conditions ?? [];
  const isTrue = (type: string): boolean =>
    conditions.some((one) => one.type === type && one.status === 'True');
  const isSeen = conditions.some(
    ({ observedGeneration }) => observedGeneration === resource.generation,
  );
  const isReportedSuspended = isTrue(suspended.type);
  const editedAt = lastEdit(live, isOwn);
  const statusTimes = (live.metadata.managedFields ?? [])
    .filter(({ manager }) => isOwn(manager))
    .flatMap(({ time }) => time ?? []);
  const traces = [
    ...writtenAt,
    ...statusTimes,
    ...conditions.map((one) => one.lastTransitionTime),
  ].filter((time) => time >= editedAt);
  const place = resource.namespace === '' ? '' : `-n ${resource.namespace} `;
  return {
    name: titleOf({ ...resource, kind: kind.kind }),
    address: `${place}${groupResource(kind)}/${resource.name}`,
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
    otherHolders: otherHolders(live, isOwn),
    stalled: conditions.find((one) => one.type === 'Stalled' && one.status === 'True'),
    ...desiredStateProblems(kind, resource),
  };
}

function otherHolders(
  { metadata: { managedFields = [] } }: KubeObject,
  isOwn: ReturnType<typeof isOurs>,
): readonly string[] {
  const applied = managedFields.filter(
    ({ operation, subresource }) => operation === 'Apply' && subresource === 'status',
  );
  return applied.flatMap(({ manager = '', fieldsV1 }) => {
    const isReconciler = Object.hasOwn(fieldsV1['f:status'] ?? {}, 'f:children');
    const isName = nameProblem(manager) === undefined;
    return isReconciler && isName && !isOwn(manager) ? [manager] : [];
  });
}

/** Whether the subresource `scale` was ever written; the API server records no time. */
const isScaled = ({ metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.some(({ subresource }) => subresource === 'scale');

/**
 * Caveats: an edit is known by the fields its manager owns since; one that only took fields
 * away from another manager is missed.
 */
function lastEdit({ metadata }: KubeObject, isOwn: ReturnType<typeof isOurs>): string {
  const { creationTimestamp, managedFields = [] } = metadata;
  const edits = managedFields
    .filter(({ subresource, manager }) => subresource === undefined && !isOwn(manager))
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
