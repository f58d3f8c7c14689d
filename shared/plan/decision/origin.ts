import { isReady, readyOf } from '../observed/conditions.ts';
import { isEdited } from '../observed/edited.ts';
import type { ObservedResource } from '../observed/observed.ts';
import type { Stamp } from '../observed/stamp.ts';
import { keyOf, type World } from '../observed/world.ts';
import type { WriteDecision } from './decision.ts';
import { readsOf, stampOf } from './stamped.ts';

/**
 * Why a child is not as wanted: its resource was edited; others changed the child; an object that the
 * resource refers to changed; or the code of the kind, or a setting, did.
 */
export const origins = ['edit', 'drift', 'reference', 'code'] as const;
export type Origin = (typeof origins)[number];

/**
 * The origin of a change; undefined for one of managedFields alone.
 *
 * Guarantees: by the stamp of the last apply, what others removed differs from what is newly wanted,
 * which managedFields do not show. A child whose stamp is gone, or not ours, has drifted where managedFields
 * show another writer; otherwise it is in doubt, and counts as changed by code.
 */
export function originOf(decision: WriteDecision, world: World): Origin | undefined {
  if (decision.verb === 'consolidate') return undefined;
  if (isEdited(world.resource)) return 'edit';
  // A resource that is not Ready may lack children that had to wait.
  if (decision.verb === 'create')
    return decision.lost ? 'drift' : isReady(world.resource) ? 'code' : 'edit';
  const observed = world.children.get(keyOf(decision.child));
  const isOurs = observed?.ours !== undefined || observed?.stamp !== undefined;
  // Never written by us, or deleted because what it acts on is foreign.
  if (observed === undefined || !isOurs || 'reason' in decision) return 'drift';
  const { stamp } = observed;
  if (stamp === undefined) return isOthers(decision) ? 'drift' : 'code';
  if (stamp.generation !== world.resource.generation && isUnfinished(world.resource)) return 'edit';
  if (decision.verb === 'update' && stampOf(decision.fields, world).fields === stamp.fields)
    return 'drift';
  return isKnown(stamp, world) ? 'code' : 'reference';
}

/**
 * Whether a run has acted on what the resource refers to as it is now. A child that does not depend on
 * what has changed was last written before; the others show it, once that run has finished.
 */
function isKnown({ reads }: Stamp, world: World): boolean {
  const current = readsOf(world);
  if (reads === current) return true;
  if (!isReady(world.resource)) return false;
  return [...world.children.values()].some(
    ({ stamp }) => stamp !== undefined && stamp.reads === current,
  );
}

/** The last run of this generation could not do everything: an obstacle may have gone since. */
function isUnfinished(resource: ObservedResource): boolean {
  const ready = readyOf(resource);
  return (
    ready?.status === 'False' &&
    ready.reason !== 'Progressing' &&
    ready.observedGeneration === resource.generation
  );
}

/** Others hold a field that we want. */
const isOthers = (decision: WriteDecision): boolean =>
  decision.verb === 'update' && decision.differences.some(({ writer }) => writer !== undefined);
