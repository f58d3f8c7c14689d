import type { JsonObject } from '../../shared/kubernetes.ts';
import { maxChildren } from '../../shared/plan/observed/applied.ts';
import { controllerOf } from '../reconcile/desired.ts';
import type { Live } from '../scenarios/api.ts';
import { isEvent } from './cause-index.ts';
import { differencesIn } from './namespace-state.ts';
import type { OwnWrite } from './record.ts';
import { findResource, type Scenes, versionsIn } from './scenes.ts';
import { describe } from './verdict.ts';

/** The writes of one resync, and the state before it and after the controllers came to rest. */
export interface Resync {
  readonly writes: readonly OwnWrite[];
  readonly before: Scenes;
  readonly after: Scenes;
}

/** Limit of resyncs: a run reads 16 of the names that a status lists; one more resync writes nothing. */
const mostResyncs = maxChildren / 16 + 1;

/** The end of a series of resyncs. */
export interface Quiescence {
  readonly resyncs: number;
  /** Faults of the resyncs on the way, and writes of the last one. */
  readonly faults: readonly string[];
  readonly after: Scenes;
}

/**
 * Resyncs until one writes nothing.
 *
 * Caveats: the number of resyncs depends on what others left in a status, and on the speed of the
 * cluster's controllers. It is not judged, only that each write has a reason.
 */
export async function untilQuiescent(
  last: Resync,
  { done, next }: { readonly done: number; readonly next: (before: Scenes) => Promise<Resync> },
): Promise<Quiescence> {
  const faults: string[] = [];
  let earlier = last;
  for (let resyncs = done + 1; resyncs <= mostResyncs; resyncs++) {
    const resync = await next(earlier.after);
    if (resync.writes.length === 0) return { resyncs, faults, after: resync.after };
    faults.push(...unexplainedWrites(earlier, resync));
    earlier = resync;
  }
  const left = earlier.writes.map((write) => `still: ${lineOf(write, earlier)}`);
  return { resyncs: mostResyncs, faults: [...faults, ...left], after: earlier.after };
}

/**
 * Lists writes of a resync that had no reason.
 *
 * A status may follow children that changed since the previous resync read them. It may also lose names
 * that others added, of which each run reads only some. A child must have no drift.
 */
export function unexplainedWrites(earlier: Resync, resync: Resync): readonly string[] {
  const [first, ...later] = [earlier.before, resync.before, resync.after].map(versionsOfChildren);
  const haveMoved = later.some((versions) => versions !== first);
  const isGrounded = (write: OwnWrite): boolean => {
    if (isEvent(write)) return haveMoved;
    return write.subresource === 'status' && (haveMoved || hasFewerStrangers(write.key, resync));
  };
  return resync.writes.filter((write) => !isGrounded(write)).map((write) => lineOf(write, resync));
}

const versionsOfChildren = (scenes: Scenes): string =>
  versionsIn([...scenes.values()].flatMap(({ children }) => children));

function hasFewerStrangers(key: string, { before, after }: Resync): boolean {
  return strangersOf(after, key) < strangersOf(before, key);
}

/** Counts the names in the status that are not the resource's own children. */
function strangersOf(scenes: Scenes, key: string): number {
  const { live, scene } = findResource(scenes, key) ?? {};
  const own = scene?.children.filter((child) => controllerOf(child) === live?.metadata.uid) ?? [];
  const names = new Set(own.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  return childrenOf(live).filter(({ kind, name }) => !names.has(`${kind} ${name}`)).length;
}

const childrenOf = (live: Live | undefined) =>
  (live?.status?.children ?? []) as readonly { readonly kind: string; readonly name: string }[];

/** Describes a write, with its changes if it was to a status. */
function lineOf(write: OwnWrite, { before, after }: Resync): string {
  if (write.subresource !== 'status') return describe(write);
  const [from, to] = [before, after].map((scenes) => findResource(scenes, write.key)?.live.status);
  const changes = differencesIn(to as JsonObject | undefined, from as JsonObject | undefined);
  return `${describe(write)}: ${changes.slice(0, mostChanges).join('; ') || 'nothing changed'}`;
}

const mostChanges = 5;
