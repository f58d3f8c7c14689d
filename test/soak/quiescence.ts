import type { JsonObject } from '../../shared/kubernetes.ts';
import { controllerOf } from '../reconcile/desired.ts';
import type { Live } from '../scenarios/api.ts';
import { isEvent } from './cause-index.ts';
import { differencesIn } from './namespace-state.ts';
import type { OwnWrite } from './record.ts';
import { findResource, type Scenes, versionsIn } from './scenes.ts';
import { describe } from './verdict.ts';

/** One resync: what it wrote, and the state before it and after the controllers came to rest. */
export interface Resync {
  readonly writes: readonly OwnWrite[];
  readonly before: Scenes;
  readonly after: Scenes;
}

/** A status lists 256 names at most, and a run reads 16 of them; one more writes nothing. */
const mostResyncs = 256 / 16 + 1;

/** How a series of resyncs ended. */
export interface Quiescence {
  readonly resyncs: number;
  /** What speaks against those on the way, and against the last one where it still wrote. */
  readonly faults: readonly string[];
  readonly after: Scenes;
}

/**
 * Goes on until a resync writes nothing.
 *
 * Caveats: how many resyncs there are depends on what others left in a status, and on how long the
 * cluster's controllers take; what counts is that each write has a reason.
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
 * Writes of a resync for which there was no reason.
 *
 * A status may follow children that changed since the resync before it read them, and it may lose names of
 * children that others put there: a run reads a part of them. A child must have no drift.
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

/** How many names the status lists beside the resource's own children. */
function strangersOf(scenes: Scenes, key: string): number {
  const { live, scene } = findResource(scenes, key) ?? {};
  const own = scene?.children.filter((child) => controllerOf(child) === live?.metadata.uid) ?? [];
  const names = new Set(own.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  return childrenOf(live).filter(({ kind, name }) => !names.has(`${kind} ${name}`)).length;
}

const childrenOf = (live: Live | undefined) =>
  (live?.status?.children ?? []) as readonly { readonly kind: string; readonly name: string }[];

/** The write, and what it changed in a status. */
function lineOf(write: OwnWrite, { before, after }: Resync): string {
  if (write.subresource !== 'status') return describe(write);
  const [from, to] = [before, after].map((scenes) => findResource(scenes, write.key)?.live.status);
  const changes = differencesIn(to as JsonObject | undefined, from as JsonObject | undefined);
  return `${describe(write)}: ${changes.slice(0, mostChanges).join('; ') || 'nothing changed'}`;
}

const mostChanges = 5;
