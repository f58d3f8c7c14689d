import { secret } from '../../kinds/child-types/core.ts';
import { isSameType, keyOf } from '../../kubernetes.ts';
import { type Applied, desiredDigest } from '../observed/applied.ts';
import { isReady, readyOf } from '../observed/conditions.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { isEdited, isUntried, type ObservedResource } from '../observed/observed-resource.ts';
import { isOwn, latestRecord, type World } from '../observed/world.ts';
import { appliedTo } from './apply-records.ts';
import type { Update, WriteDecision } from './decision.ts';
import { lingers } from './reasons.ts';
import { readsOf } from './target.ts';

/**
 * Why a child is not up to date. `edit`: its resource was edited. `drift`: another writer changed the child.
 * `reference`: a referenced object or the resource's labels changed, a time passed, or a certificate had to be renewed.
 * `code`: the kind's code or a setting changed.
 */
export const origins = ['edit', 'drift', 'reference', 'code'] as const;
export type Origin = (typeof origins)[number];

/** Reports whether `rotation` changed, which no applied field shows. */
const isRotation = ({ rotation = '' }: Update, { facts }: ObservedChild): boolean =>
  rotation !== '' && rotation !== facts.rotation;

/** Reports whether a certificate is replaced because it was due for renewal or its authority changed. */
const isRenewal = (
  { certificate, generates = [] }: Update,
  { facts: { keys } }: ObservedChild,
): boolean =>
  certificate !== undefined && Array.isArray(keys) && generates.every((key) => keys.includes(key));

const isRepeated = (update: Update, child: ObservedChild, last: Applied | undefined): boolean =>
  desiredDigest(update.fields, child.salt) === last?.desired && !isRotation(update, child);

/**
 * Returns why a child is written; undefined for a consolidation, and for a write during the clean-up.
 *
 * Guarantees: a field that another writer removed counts as drift, a newly desired field does not. Only the record of
 * the last apply distinguishes the two. A child of ours without a record counts as drifted if another manager owns a
 * field that differs, otherwise as changed by code.
 */
export function originOf(decision: WriteDecision, world: World): Origin | undefined {
  const { resource } = world;
  if (decision.verb === 'consolidate' || resource.deleting) return undefined;
  // Only a deletion that others caused (see `Delete`) or an update that restores the fields last applied has a reason.
  if ('reason' in decision) return 'drift';
  // If the resource is not Ready, earlier runs may not have reached this child, so its creation belongs to the edit.
  if (decision.verb === 'create') {
    const { desired } = latestRecord(world, decision.child) ?? {};
    const isOther = desired !== undefined && desired !== desiredDigest(decision.fields);
    // A run that creates a child again with other fields may have to leave it while it is being deleted.
    const isRecreated =
      isOther && !isSameType(decision.type, secret) && lingers(readyOf(resource) ?? {});
    if (decision.existed) return isUntried(resource) || isRecreated ? 'edit' : 'drift';
    return isReady(resource) && !isEdited(resource) ? codeOrReference(world, decision) : 'edit';
  }
  const observed = world.children.get(keyOf(decision.child));
  const applied = appliedTo(world, observed);
  if (decision.verb === 'update' && observed && isRepeated(decision, observed, applied))
    return isRenewal(decision, observed) ? 'reference' : 'drift';
  if (decision.verb === 'withdraw' && decision.difference.writer !== undefined) return 'drift';
  const isOurs = observed?.ours !== undefined || applied !== undefined;
  if (observed === undefined || !isOurs || !isOwn(resource, observed)) return 'drift';
  if (isEdited(resource)) return 'edit';
  // If the status does not list the child, another writer set its owner reference, or another run deleted the child.
  const isUnlisted = !resource.status.children?.some((ref) => keyOf(ref) === keyOf(decision.child));
  if (decision.verb === 'delete' && isUnlisted) return 'drift';
  if (applied === undefined) return isOthers(decision, observed) ? 'drift' : 'code';
  if (applied.generation !== resource.generation && isUnfinished(resource)) return 'edit';
  return codeOrReference(world, decision);
}

/** Tries the digest of the references without and with labels: it is unknown whether the last run read the labels. */
function codeOrReference(world: World, { dueToTime }: WriteDecision): Origin {
  const { lastApplied } = world.resource.status;
  const isRead = [false, true].some((labels) => readsOf(world, labels) === lastApplied?.reads);
  return isRead && !dueToTime ? 'code' : 'reference';
}

/** Reports whether the last run of this generation met an obstacle, so a write may still be due to the edit. */
function isUnfinished(resource: ObservedResource): boolean {
  const ready = readyOf(resource);
  return (
    ready?.status === 'False' &&
    ready.reason !== 'Progressing' &&
    ready.observedGeneration === resource.generation
  );
}

function isOthers(decision: WriteDecision, observed: ObservedChild): boolean {
  const { differences = [] } = decision.verb === 'update' ? decision : {};
  if (differences.length === 1 && observed.lacksSalt) return true;
  return differences.some(({ writer }) => writer !== undefined);
}
