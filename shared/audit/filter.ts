import {
  includesType,
  isCustom,
  isSameType,
  type ResourceType,
  type TypeName,
} from '../kubernetes.ts';
import { oneLine } from '../printable.ts';
import type { AuditRecord } from './record.ts';

export interface AuditedKind extends Pick<ResourceType, 'group' | 'plural' | 'kind' | 'scope'> {
  readonly owns: readonly ResourceType[];
  readonly refersTo: readonly ResourceType[];
}

export interface FilterOptions {
  readonly kinds: readonly AuditedKind[];
  readonly ownIdentity: readonly string[];
  readonly namespaces?: readonly string[] | undefined;
}

export const writeVerbs = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/** Matches users of the control plane, whose writes can wait for the next resync. */
export const controlPlane =
  '^system:(node:|kube-|apiserver|addon-manager|serviceaccount:kube-system:)';

const controlPlanePattern = new RegExp(controlPlane);

/** The user whose patch completes the foreground deletion of a child. */
export const garbageCollector = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** The child type whose status writes need a run, because other children may wait for a Job to end. */
export const endingType: TypeName = { group: 'batch', plural: 'jobs' };

export const isEnd = (record: AuditRecord): boolean =>
  record.subresource === 'status' && isSameType(record, endingType);

/** Returns undefined for a record that needs a run. Ignores versions, because a write may use any version. */
export function dropReason(record: AuditRecord, options: FilterOptions): string | undefined {
  const { verb, subresource, user, namespace } = record;
  const { kinds, namespaces } = options;
  if (record.failed) return 'failed';
  if (record.dryRun) return 'dry run';
  if (!writeVerbs.some((write) => write === verb)) return 'not a write';
  const isOwned = kinds.some(({ owns }) => includesType(owns, record));
  const isReferred = kinds.some(({ refersTo }) => includesType(refersTo, record));
  const isRead = isReferred && subresource === 'status' && isCustom(record);
  const isEndOfChild = isEnd(record) && isOwned;
  if (subresource !== undefined && subresource !== 'scale' && !isRead && !isEndOfChild)
    return `subresource ${oneLine(subresource, 63)}`;
  if (!isOwned && !isReferred && !includesType(kinds, record)) return 'another type';
  if (namespace !== undefined && namespaces?.includes(namespace) === false)
    return 'another namespace';
  const isControlPlane = controlPlanePattern.test(user) && user !== garbageCollector;
  if (isControlPlane && !isEndOfChild) return 'control plane';
  if (isOwnWrite(record, options) && !isReferred) return 'own write';
  return;
}

/** False for a write to a custom resource, because a person may have made it with the functions' account. */
const isOwnWrite = (record: AuditRecord, { kinds, ownIdentity }: FilterOptions): boolean =>
  !includesType(kinds, record) && ownIdentity.includes(record.user);

/** Reports whether a record concerns only resources that refer to the object, not the object's owner. */
export const countsForReaders = (record: AuditRecord, options: FilterOptions): boolean =>
  (record.subresource === 'status' && !isEnd(record)) || isOwnWrite(record, options);
