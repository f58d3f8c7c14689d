import { present } from '../json.ts';
import { type Child, issuerOf } from '../kinds/child.ts';
import { ownedType } from '../kinds/kind.ts';
import { byKey, groupResource, keyOf, type TypeName } from '../kubernetes.ts';
import { pastRecord } from './decision/apply-records.ts';
import { aboutOf, type Decided, type Decision, versionOf } from './decision/decision.ts';
import { namespaceFor, type Siblings, siblingsOf } from './decision/dependencies.ts';
import { beingDeleted, contested, retained, unreadable } from './decision/reasons.ts';
import type { ContestedWorld } from './drift/contest.ts';
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
import { roundRobinByNamespace } from './round-robin.ts';

/** Decides about unwanted children, except children that expose paths. */
export function unwantedIn(
  world: ContestedWorld,
  keep: ReadonlySet<string>,
): { readonly listed: readonly ReadTarget[]; readonly deletions: readonly Decision[] } {
  // Leaves the children of a deleted resource to the garbage collector.
  if (world.resource.deleting) return { listed: [], deletions: [] };
  const unknown = unseen(world).filter((ref) => !keep.has(keyOf(ref)));
  const unwanted = [...world.children.values()].filter(
    (child) => isOwn(world.resource, child) && !isExposing(child.type) && !keep.has(keyOf(child)),
  );
  // Reports children of unlisted types, because they may still exist. Omits types that the cluster does not serve.
  const reports = unknown.flatMap((ref): Decision | readonly Decision[] => {
    const why = unlistedIn(world, ref.type);
    if (why === undefined || why.reason === typeNotServed) return [];
    return { ...aboutOf(world, ref), verb: 'fail', ...why };
  });
  return {
    listed: unknown.filter(({ type }) => unlistedIn(world, type) === undefined),
    deletions: [
      ...roundRobinByNamespace(unwanted.toSorted(byKey)).map((one) => deletionOf(world, one)),
      ...reports,
    ],
  };
}

function deletionOf(world: ContestedWorld, observed: ObservedChild): Decision {
  const about = aboutOf(world, observed);
  const { child } = about;
  if (observed.deleting) return { ...about, verb: 'wait', ...beingDeleted(child) };
  if (observed.type.retained) return { ...about, ...retained(child) };
  // A child that could not be read for lack of time is read again before its deletion.
  if (observed.unreadable !== undefined && observed.postponed !== true)
    return { ...about, ...unreadable(child, observed.unreadable) };
  const fight = world.detectFight?.({ verb: 'delete', child, observed, differences: [] });
  if (fight !== undefined) return { ...about, ...contested(fight) };
  const { complete } = observed;
  const record = pastRecord(world, observed);
  return { ...about, verb: 'delete', lock: versionOf(observed), ...present({ complete, record }) };
}

/**
 * Returns the children in `status.children` that were not found but may still exist. If their type was listed, omits
 * the children that a read by name did not find either.
 */
export const unseen = (world: World): readonly ReadTarget[] =>
  (world.resource.status.children ?? []).flatMap((ref) => {
    const type = ownedType(world.kind, ref);
    if (type === undefined) return [];
    const isUnlisted = unlistedIn(world, type) !== undefined;
    const isFound = isUnlisted ? world.children.has(keyOf(ref)) : isKnown(world, ref);
    return isFound ? [] : [{ ...ref, type }];
  });

export interface Unlisted {
  /** Keys of the desired children whose types could not be listed, and of the children that wait for such children. */
  readonly children: ReadonlySet<string>;
  /** Types that could not be listed, and their related types. If a Deployment needs a Job, their types are related. */
  readonly types: ReadonlySet<string>;
}

export function unlistedAmong(decided: readonly Decided[], world: World): Unlisted | undefined {
  const unlisted = decided.filter(({ child }) => unlistedIn(world, child.type) !== undefined);
  if (unlisted.length === 0) return undefined;
  const children = new Set(unlisted.map(({ decision }) => keyOf(decision.child)));
  const isWaiting = (decision: Decision): boolean => {
    const until = decision.verb === 'wait' ? decision.postponed?.until : undefined;
    return [until ?? [], decision.needs ?? []].flat().some((need) => children.has(keyOf(need)));
  };
  for (const _ of decided)
    for (const { decision } of decided)
      if (isWaiting(decision)) children.add(keyOf(decision.child));
  const siblings = siblingsOf(decided);
  const related = decided.map(({ child }) => [
    groupResource(child.type),
    ...relativesOf(child, siblings).map(groupResource),
  ]);
  const types = new Set(unlisted.map(({ child }) => groupResource(child.type)));
  for (const _ of related)
    for (const some of related)
      if (some.some((type) => types.has(type))) for (const type of some) types.add(type);
  return { children, types };
}

function relativesOf(child: Child, siblings: Siblings): readonly TypeName[] {
  const named = [child.actsOn, issuerOf(child), namespaceFor(child, siblings)];
  const all = [...(child.needs ?? []), ...(child.generated?.usedBy ?? []), ...named];
  return all.flatMap((one) => one?.type ?? []);
}
