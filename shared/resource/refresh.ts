import { isDeepStrictEqual } from 'node:util';
import { ownedType } from '../kinds/kind.ts';
import { keyOf, type ObjectRef, titleOf } from '../kubernetes.ts';
import { desiredOf } from '../plan/decision/desired.ts';
import { isExposing, patternsOf } from '../plan/exposure/exposing-child.ts';
import type { ObservedChild } from '../plan/observed/observed.ts';
import { readTarget, unlistedIn } from '../plan/observed/world.ts';
import { nameInText } from '../printable.ts';
import { readChild, readResource } from '../reading/read.ts';
import { maxAgeMs } from '../run/run.ts';
import type { StaleError, Turn } from './turn.ts';

/** Number of conflicts in a row after which a child is left to a later pass, and a resource to the next run. */
export const maxConflicts = 5;

/**
 * Reads the stale objects again: the child, then the resource. Returns false if the resource is gone.
 *
 * Flow: the child is read by name, with its siblings if another run has created it. If our managedFields entry of the
 * child is unchanged, the resource is not read, because no run has written the child for a newer spec. Referenced
 * objects are read when the resource is planned.
 * Guarantees: if another run wrote the child for a newer spec or newer references, the child is not compared with
 * older ones. A child whose creation got no response is read, too.
 * Caveats: the other children are not read again; the locks of their next writes detect a change.
 */
export async function refresh(turn: Turn, stale: StaleError): Promise<boolean> {
  const { run, world } = turn;
  const readAt = run.clients.now().getTime();
  // Forgets which objects were absent or could not be read, because they may exist by now.
  world.absent.clear();
  world.unread.clear();
  let mayBeNewer = false;
  for (const { child, result } of turn.lost.values()) {
    const type = ownedType(world.kind, child);
    if (result !== 'created' || type === undefined || world.children.has(keyOf(child))) continue;
    await readChild(run, world, { ...child, type });
    mayBeNewer = true;
  }
  const isNewer = await refreshTarget(turn, stale);
  world.now = run.clients.now().getTime();
  if (!isNewer && !mayBeNewer) return true;
  const resource = await readResource(run, world);
  if (resource === undefined) return false;
  // Forgets the children, because a new resource of the same name owns none of them.
  if (resource.uid !== world.resource.uid) world.children.clear();
  // Gives refused children another try, because the server may accept them for the new spec.
  if (resource.generation !== world.resource.generation) {
    world.givenUp.clear();
    world.possiblePaths.clear();
  }
  turn.freshUntil = readAt + maxAgeMs;
  world.resource = resource;
  world.reads.clear();
  return true;
}

/** Reads the stale child again, if there is one. Returns true if the resource may have changed, too. */
async function refreshTarget(turn: Turn, { target, decision }: StaleError): Promise<boolean> {
  if (target === undefined) return true;
  const { run, world } = turn;
  const key = keyOf(target);
  const before = world.children.get(key);
  await readChild(run, world, target);
  const after = world.children.get(key);
  if (decision?.verb === 'create' && after?.ours !== undefined) await readSiblings(turn);
  return decision === undefined || !isSameApplied(before, after);
}

/** Another run that created one of the desired children has probably created all. */
async function readSiblings({ run, world }: Turn): Promise<void> {
  const desired = desiredOf(world);
  if (!('children' in desired)) return;
  const unknown = desired.children
    .filter(({ type }) => unlistedIn(world, type) === undefined)
    .map(readTarget)
    .filter((ref) => !world.children.has(keyOf(ref)));
  for (const ref of unknown.slice(0, maxSiblings)) await readChild(run, world, ref);
}

const maxSiblings = 16;

const isSameApplied = (a: ObservedChild | undefined, b: ObservedChild | undefined): boolean =>
  a?.ours !== undefined &&
  a.uid === b?.uid &&
  a.controller === b.controller &&
  (['time', 'values', 'shape'] as const).every((key) => a.ours?.[key] === b.ours?.[key]);

/** Counts a conflict. After `maxConflicts` conflicts in a row, leaves the child to a later pass. */
export function countConflict(
  { conflicts, world }: Turn,
  child: ObjectRef,
  exposed: readonly string[] = [],
): void {
  const key = keyOf(child);
  const live = world.children.get(key);
  const known = conflicts.get(key);
  const { count, first } = known ?? { count: 0, first: live };
  const paths = new Set([...(known?.paths ?? []), ...exposed, ...(live ? patternsOf(live) : [])]);
  conflicts.set(key, { count: count + 1, first, paths });
  if (count + 1 < maxConflicts) return;
  world.givenUp.set(key, {
    reason: 'Conflict',
    message: `${titleOf(child)} was changed by ${writersSince(first, live)} before it could be written, ${maxConflicts} times in a row; will be tried again`,
    transient: true,
  });
  if (isExposing(ownedType(world.kind, child))) world.possiblePaths.set(key, paths);
}

/** Names the other managers that changed more than the child's status after the first conflict. */
function writersSince(first: ObservedChild | undefined, live: ObservedChild | undefined): string {
  const writers = (live?.others ?? []).filter(
    (entry) => first?.others.some((one) => isDeepStrictEqual(one, entry)) !== true,
  );
  return [...new Set(writers.map(({ manager }) => nameInText(manager)))].join(', ') || 'others';
}
