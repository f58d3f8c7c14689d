import { includesType, isCustom, isSameType, type TypeName } from '../kubernetes.ts';
import { oneLine } from '../printable.ts';
import type { AuditRecord } from './record.ts';

interface FilterOptions {
  readonly ownIdentity: readonly string[];
  readonly resourceTypes: readonly TypeName[];
  readonly childTypes: readonly TypeName[];
  readonly referredTypes?: readonly TypeName[];
  readonly namespaces?: readonly string[] | undefined;
}

export const writeVerbs = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/** Writes of the control plane, kubelets and service accounts of kube-system can wait for the next resync. */
export const controlPlane =
  '^system:(node:|kube-|apiserver|addon-manager|serviceaccount:kube-system:)';

const controlPlanePattern = new RegExp(controlPlane);

/** An exception to `controlPlane`, because its patch completes the foreground deletion of a child. */
export const garbageCollector = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** A write of a Job's status causes a run for the owner, because other children may wait for the Job to end. */
export const endingType: TypeName = { group: 'batch', plural: 'jobs' };

export const isEnd = (record: AuditRecord): boolean =>
  record.subresource === 'status' && isSameType(record, endingType);

/**
 * Returns the reason why a record needs no run; undefined if it needs one. The functions' own writes of children, and
 * writes of any status but a Job's, need a run only for resources that refer to the object (`countsForReaders`). The
 * log sink drops most such entries to save deliveries, but this filter decides. Versions of types are ignored, because
 * a write may use any version.
 */
export function dropReason(record: AuditRecord, options: FilterOptions): string | undefined {
  const { verb, subresource, user, namespace } = record;
  const { resourceTypes, childTypes, referredTypes = [], namespaces } = options;
  if (record.failed) return 'failed';
  if (record.dryRun) return 'dry run';
  if (!writeVerbs.some((write) => write === verb)) return 'not a write';
  const isReferred = includesType(referredTypes, record);
  const isRead = isReferred && subresource === 'status' && isCustom(record);
  const isEndOfChild = isEnd(record) && includesType(childTypes, record);
  if (subresource !== undefined && subresource !== 'scale' && !isRead && !isEndOfChild)
    return `subresource ${oneLine(subresource, 63)}`;
  if (![resourceTypes, childTypes, referredTypes].some((types) => includesType(types, record)))
    return 'another type';
  if (namespace !== undefined && namespaces?.includes(namespace) === false)
    return 'another namespace';
  const isControlPlane = controlPlanePattern.test(user) && user !== garbageCollector;
  if (isControlPlane && !isEndOfChild) return 'control plane';
  if (isOwnWrite(record, options) && !isReferred) return 'own write';
  return;
}

type OwnWriteOptions = Pick<FilterOptions, 'resourceTypes' | 'ownIdentity'>;

/** A write of a resource never counts as our own, because a person may have edited it with the functions' account. */
const isOwnWrite = (
  record: AuditRecord,
  { resourceTypes, ownIdentity }: OwnWriteOptions,
): boolean => !includesType(resourceTypes, record) && ownIdentity.includes(record.user);

/** Reports whether a record concerns only resources that refer to the object, not its owner. */
export const countsForReaders = (record: AuditRecord, options: OwnWriteOptions): boolean =>
  (record.subresource === 'status' && !isEnd(record)) || isOwnWrite(record, options);
