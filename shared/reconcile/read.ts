import { isExpired } from '../cluster/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { groupResource, type KubeObject, qualifiedName } from '../kubernetes.ts';
import { childSelector } from '../plan/manifest.ts';
import {
  type ObservedChild,
  type ObservedResource,
  observeChild,
  observeResource,
} from '../plan/observed.ts';
import { isOwn } from '../plan/ownership.ts';
import { openPools, type Pool } from '../plan/unreadable.ts';
import { keyOf, namespaceOf, type ReadTarget, type Subject, type World } from '../plan/world.ts';
import { keepChild } from './memory-budget.ts';
import type { Run } from './run.ts';
import type { LiveWorld } from './state.ts';

export const worldOf = (
  { identity, kind, resource }: Subject,
  children: Map<string, ObservedChild>,
): LiveWorld => ({
  identity,
  kind,
  resource,
  children,
  reads: new Map(),
  absent: new Set(),
  unread: new Map(),
  givenUp: new Map(),
  possiblePaths: new Map(),
  refused: new Map(),
});

/** `websites.kubecon.my.domain default/shop` */
export const keyOfResource = ({
  kind,
  resource,
}: {
  readonly kind: Kind;
  readonly resource: Pick<ObservedResource, 'namespace' | 'name'>;
}): string => `${groupResource(kind)} ${qualifiedName(resource.namespace, resource.name)}`;

/**
 * Reads one object by name into the world, whatever its owner; returns it whole, undefined if there is none.
 *
 * Guarantees: what the resource refers to is read again before it is planned, as it must not be older.
 */
export async function readChild(
  { cluster, memoryBudget }: Run,
  world: LiveWorld,
  ref: ReadTarget,
  pool?: Pool,
): Promise<KubeObject | undefined> {
  const { namespace: from } = world.resource;
  const namespace = namespaceOf(world.resource, ref);
  const live = await cluster.get(ref.type, { namespace, name: ref.name });
  const key = keyOf(ref);
  world.children.delete(key);
  world.absent.delete(key);
  world.unread.delete(key);
  if (live === undefined) world.absent.add(key);
  else {
    const child = observeChild(ref.type, live, { identity: world.identity, pool, from });
    world.children.set(key, keepChild(memoryBudget, namespace, child));
    world.reads.clear();
  }
  return live;
}

/** What the children of one resource in a namespace may cost to read, together about 40 ms of CPU. */
export const poolsOfResource = () => openPools(4_000_000);

/** The resource as it is now; undefined if it is gone. */
export async function readResource(
  run: Run,
  { kind, resource }: World,
): Promise<ObservedResource | undefined> {
  const live = await run.cluster.get(kind, { namespace: resource.namespace, name: resource.name });
  return live && observeResource(kind, live, run);
}

/** Whether the specification is the same; labels and the status may differ. */
export const isSameSpecification = (a: ObservedResource, b: ObservedResource): boolean =>
  a.uid === b.uid &&
  a.generation === b.generation &&
  a.deleting === b.deleting &&
  a.suspended === b.suspended;

/**
 * Reads the children and then the resource again; undefined if the resource is gone.
 *
 * Guarantees: a known child that has lost its labels meanwhile is read by name.
 */
export async function readAgain(run: Run, world: LiveWorld): Promise<LiveWorld | undefined> {
  const { kind, resource } = world;
  const { namespace, name } = resource;
  const children = new Map<string, ObservedChild>();
  const labels = childSelector(world);
  const poolOf = poolsOfResource();
  const { identity } = world;
  for (const type of kind.owns) {
    const found: ObservedChild[] = [];
    const keep = (live: KubeObject): void => {
      const { namespace: place = '' } = live.metadata;
      const child = observeChild(type, live, { identity, pool: poolOf(place), from: namespace });
      found.push(keepChild(run.memoryBudget, place, child));
    };
    const list = () => run.cluster.list(type, { namespace, labels }, keep);
    await list().catch((error: unknown) => {
      if (!isExpired(error)) throw error;
      found.length = 0;
      return list();
    });
    for (const child of found) children.set(keyOf(child), child);
  }
  const found = worldOf(world, children);
  const { givenUp, possiblePaths, refused } = world;
  const fresh = { ...found, givenUp, possiblePaths, refused };
  for (const child of world.children.values()) {
    const isUnseen = isOwn(resource, child) && !fresh.children.has(keyOf(child));
    if (isUnseen) await readChild(run, fresh, child);
  }
  const live = await run.cluster.get(kind, { namespace, name });
  return live && { ...fresh, resource: observeResource(kind, live, run) };
}
