import { present } from '../json.ts';
import { ownedType } from '../kinds/kind.ts';
import { keyOf } from '../kubernetes.ts';
import { aboutOf, type Decision, versionOf } from './decision/decision.ts';
import { beingDeleted, retained, unreadable } from './decision/reasons.ts';
import { completedRecord } from './decision/records.ts';
import type { FightDetector } from './drift/contest.ts';
import { isExposing } from './exposure/exposing-child.ts';
import type { ObservedChild } from './observed/observed.ts';
import {
  isKnown,
  isOwn,
  type ReadTarget,
  typeNotServed,
  unlistedIn,
  type World,
} from './observed/world.ts';
import { namespacesInTurn } from './turns.ts';

/**
 * Decides about unwanted children. `listed`: those that may exist although no list returned them. Returns nothing
 * for a resource that is being deleted, because the garbage collector deletes its children.
 */
export function unwantedIn(
  world: World,
  keep: ReadonlySet<string>,
  detectFight: FightDetector | undefined,
): { readonly listed: readonly ReadTarget[]; readonly deletions: readonly Decision[] } {
  if (world.resource.deleting) return { listed: [], deletions: [] };
  const unknown = unseen(world).filter((ref) => !keep.has(keyOf(ref)));
  const unwanted = [...world.children.values()].filter(
    (child) => isOwn(world.resource, child) && !isExposing(child.type) && !keep.has(keyOf(child)),
  );
  return {
    listed: unknown.filter(({ type }) => unlistedIn(world, type) === undefined),
    deletions: [...deletionsOf(world, unwanted, detectFight), ...reportsOf(world, unknown)],
  };
}

/** Deletes unwanted objects, namespaces in turn. Waits for terminating ones; keeps unreadable and retained ones. */
const deletionsOf = (
  world: World,
  unwanted: readonly ObservedChild[],
  detectFight: FightDetector | undefined,
): readonly Decision[] =>
  namespacesInTurn(unwanted).map((observed): Decision => {
    const about = aboutOf(world, observed);
    const { child } = about;
    if (observed.deleting) return { ...about, verb: 'wait', ...beingDeleted(child) };
    if (observed.type.retained) return { ...about, ...retained(child) };
    // Also deletes a postponed child, because it is read again before its deletion.
    if (observed.unreadable !== undefined && observed.postponed !== true)
      return { ...about, ...unreadable(child, observed.unreadable) };
    const fight = detectFight?.({ verb: 'delete', child, observed, differences: [] });
    if (fight !== undefined) return { ...about, verb: 'defer', ...fight };
    const record = completedRecord(world, observed);
    return { ...about, verb: 'delete', lock: versionOf(observed), ...present({ record }) };
  });

/** Reports unwanted children that may still exist because their type could not be listed. */
const reportsOf = (world: World, refs: readonly ReadTarget[]): readonly Decision[] =>
  refs.flatMap((ref) => {
    const why = unlistedIn(world, ref.type);
    // A type that is not served has no objects.
    if (why === undefined || why.reason === typeNotServed) return [];
    return [{ ...aboutOf(world, ref), verb: 'fail', ...why }];
  });

/**
 * Returns the children in `status.children` of which neither a list nor a read by name has shown whether they
 * exist. A read that found nothing does not show it if the type could not be listed.
 */
export const unseen = (world: World): readonly ReadTarget[] =>
  (world.resource.status.children ?? []).flatMap((ref) => {
    const type = ownedType(world.kind, ref);
    if (type === undefined) return [];
    const isUnlisted = unlistedIn(world, type) !== undefined;
    const isFound = isUnlisted ? world.children.has(keyOf(ref)) : isKnown(world, ref);
    return isFound ? [] : [{ ...ref, type }];
  });
